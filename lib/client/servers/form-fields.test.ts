import { expect, test } from "vitest";
import { readFields, toContent } from "./form-fields";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", maxLength: 40 },
    mail: { type: "string", format: "email" },
    when: { type: "string", format: "date-time", default: "2026-11-21T09:30:00.000Z" },
    count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    share: { type: "number" },
    agree: { type: "boolean", default: true },
    plain: { type: "string", enum: ["a", "b"] },
    named: { type: "string", enum: ["a", "b"], enumNames: ["Ah", "Be"] },
    titled: { type: "string", oneOf: [{ const: "x", title: "Ex" }, { const: "y" }] },
    many: { type: "array", items: { anyOf: [{ const: "p", title: "Pe" }] }, default: ["p"] },
  },
  required: ["name"],
};

test("every kind of field that the protocol knows", () => {
  const fields = readFields(schema);
  expect(fields.map(({ name, kind, inputType }) => `${name} ${kind} ${inputType}`)).toEqual([
    "name text text",
    "mail text email",
    "when text datetime-local",
    "count number number",
    "share number number",
    "agree boolean text",
    "plain choice text",
    "named choice text",
    "titled choice text",
    "many choices text",
  ]);
  expect(fields[0]).toMatchObject({ label: "Your name", required: true, limits: { maxLength: 40 } });
  expect(fields[3]?.limits).toEqual({ min: 1, max: 9, step: 1 });
  expect(fields.slice(6).map(({ options }) => options.map(({ label }) => label))).toEqual([
    ["a", "b"],
    ["Ah", "Be"],
    ["Ex", "y"],
    ["Pe"],
  ]);
});

test("what is sent: defaults that were left alone, numbers as numbers, times in UTC, nothing for an empty field", () => {
  const fields = readFields(schema);
  expect(toContent(fields, { name: "Ada", share: "0.5", plain: "b" })).toEqual({
    name: "Ada",
    when: "2026-11-21T09:30:00.000Z",
    count: 3,
    share: 0.5,
    agree: true,
    plain: "b",
    many: ["p"],
  });
});

test.each([undefined, null, "text", {}, { properties: [] }, { properties: { a: null } }])(
  "a schema that is none makes no trouble: %j",
  (odd) => {
    expect(() => toContent(readFields(odd), {})).not.toThrow();
  },
);

test("fields may be called as what every object has", () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}');
  const fields = readFields({ properties });
  expect(JSON.stringify(toContent(fields, {}))).toBe("{}");
  const draft = JSON.parse('{"__proto__":"a","constructor":"b"}');
  expect(JSON.stringify(toContent(fields, draft))).toBe('{"__proto__":"a","constructor":"b"}');
});
