import { expect, test } from "vitest";
import { definitionHash, readTool } from "./server-tool";

const plain = {
  name: "pay",
  title: "Pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { sum: { type: "number" } } },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: "ui://pay", visibility: ["model"] } },
};

function hashOf(raw: object): string {
  const tool = readTool(raw);
  if ("fault" in tool) throw new Error(tool.fault);
  return definitionHash(tool);
}

test.each([
  { name: "pay2" },
  { title: "Give" },
  { description: "Gives." },
  { inputSchema: { type: "object", properties: { sum: { type: "string" } } } },
  { outputSchema: undefined },
  { annotations: { readOnlyHint: false } },
  { _meta: { ui: { resourceUri: "ui://other", visibility: ["model"] } } },
  { _meta: { ui: { resourceUri: "ui://pay", visibility: ["model", "app"] } } },
  { _meta: undefined },
])("a definition with another %j is another one", (change) => {
  expect(hashOf({ ...plain, ...change })).not.toBe(hashOf(plain));
});

test("what nobody decides by does not count, nor does the order of names", () => {
  const { name, ...rest } = plain;
  expect(hashOf({ ...rest, name, note: "new" })).toBe(hashOf(plain));
});
