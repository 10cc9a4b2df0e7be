import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import { ObjectFields } from "./schema-field";

test("a field that is called like what every object inherits is shown, and said to be added", () => {
  const root = { type: "object", properties: { constructor: { type: "string" } } };
  const value = JSON.parse('{"constructor": "three"}');
  const draft = { root, unread: {}, original: {}, set() {}, setText() {} };
  const html = renderToStaticMarkup(
    <IntlProvider locale="en" timeZone="UTC" messages={messages.en}>
      <ObjectFields draft={draft} schema={root} path={[]} value={value} />
    </IntlProvider>,
  );
  expect(html).toContain(">constructor<");
  expect(html).toContain("three");
  expect(html).not.toContain("Put back");
});
