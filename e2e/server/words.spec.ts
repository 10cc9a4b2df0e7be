import { noServers } from "../support/default-servers";
import { expect, test } from "../support/server-test";

test("a page says its messages with their values in place, in both languages", async ({ start }) => {
  const app = await start(noServers);
  for (const [language, model] of [
    ["en", "Model: Model"],
    ["ja", "モデル：モデル"],
  ] as const) {
    const response = await app.fetch("/", { headers: { "accept-language": language } });
    const shown = (await response.text()).replace(/<(script|style)[\s\S]*?<\/\1>/g, "");
    expect(shown).toContain(`aria-label="${model}"`);
    expect(shown).not.toMatch(/[{}]/);
  }
});
