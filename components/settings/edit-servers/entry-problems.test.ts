import { expect, test } from "vitest";
import { assertEntry } from "@/lib/mcp/config/parse-config";
import { findInFile, findProblems } from "./entry-problems";
import { entryFields, fieldNames, ruleOf } from "./entry-schema";

const problems = (text: string, look?: typeof findInFile) =>
  findProblems(text, look).map(({ from, to, code, ...rest }) => [
    code,
    text.slice(from, to),
    ...Object.values(rest).filter((value) => value !== code),
  ]);

test.each([
  ['{"command": "x"}', []],
  ["", []],
  ['{"url": "https://x", "mine": {"a": [1]}}', [["unread", '"mine"', "mine"]]],
  ['{"command": "x",}', [["syntax", "}", "comma"]]],
  ['{"command" "x"}', [["syntax", '"x"', "colon"]]],
  ['{"command": "x"', [["syntax", "", "open"]]],
  ['{"command": "x"} more', [["syntax", "more", "word"]]],
  ["[]", [["object", "[]"]]],
  ["{}", [["neither", "{"]]],
  ['{"command": "x", "url": "https://y"}', [["both", '"https://y"']]],
  ['{"command": 1}', [["type", "1", "command", "string"]]],
  ['{"command": "x", "args": ["a", 1]}', [["type", '["a", 1]', "args", "list"]]],
  ['{"command": "x", "env": {"A": 1}}', [["type", '{"A": 1}', "env", "map"]]],
  ['{"url": "x", "type": "ws"}', [["choice", '"ws"', "type", entryFields.type.choices.join(", ")]]],
  ['{"command": "x", "roles": ["member", "admin"]}', []],
  ['{"command": "x", "scope": "user"}', []],
  ['{"command": "x", "scope": "person"}', [["choice", '"person"', "scope", "shared, user"]]],
  ['{"command": "x", "roles": []}', [["choice", "[]", "roles", "admin, member"]]],
  ['{"command": "x", "roles": ["admn"]}', [["choice", '["admn"]', "roles", "admin, member"]]],
  ['{"command": "x", "timeout": 0}', [["range", "0", "timeout"]]],
  [
    '{"comand": "x"}',
    [
      ["neither", "{"],
      ["unknown", '"comand"', "comand", "command"],
    ],
  ],
  [
    '{"command": "x", "disabled_tools": []}',
    [["unknown", '"disabled_tools"', "disabled_tools", "disabledTools"]],
  ],
  ['{"command": "x", "command": "y"}', [["twice", '"command"', "command"]]],
  ['{"command": "x", "env": {"__proto__": "y"}}', [["proto", '"__proto__"']]],
])("%s", (text, expected) => {
  expect(problems(text)).toEqual(expected);
});

test.each([
  ['{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://x"}}, "inputs": []}', []],
  ["{}", [["servers", "{"]]],
  ["[]", [["servers", "["]]],
  ['{"mcpServers": []}', [["servers", "[]"]]],
  ['{"mcpServers": {"a": 1}}', [["object", "1"]]],
  [
    '{"mcpServers": {"a": {"comand": "x"}, "b": {"command": "x", "timeout": "1"}}}',
    [
      ["neither", "{"],
      ["unknown", '"comand"', "comand", "command"],
      ["type", '"1"', "timeout", "number"],
    ],
  ],
  ['{"mcpServers": {"a": {"command": "x"}, "a": {"command": "x"}}}', [["twice", '"a"', "a"]]],
  ['{"mcpServers": {"__proto__": {"command": "x"}}}', [["proto", '"__proto__"']]],
  ['{"mcpServers": {"a": {"command": "x"},}}', [["syntax", "}", "comma"]]],
])("a whole file: %s", (text, expected) => {
  expect(problems(text, findInFile)).toEqual(expected);
});

test("what is too long to be a configuration is not looked into", () => {
  const text = `{"mcpServers": {"a": ${" ".repeat(10_200_000)}`;
  expect(findProblems(text, findInFile)).toEqual([{ from: 0, to: 0, code: "long", size: 10_300_000 }]);
});

test("a text is looked into once, however many ask, and as what they ask", () => {
  const text = '{"mcpServers": {}}';
  expect(findProblems(text, findInFile)).toBe(findProblems(text, findInFile));
  expect(findProblems(text)).not.toEqual(findProblems(text, findInFile));
});

test("text of any depth and length is read", () => {
  expect(() => findProblems("[".repeat(2_000))).not.toThrow();
  expect(findProblems(`{"command": "x", "args": [${'"a",'.repeat(5_000)}"a"]}`)).toEqual([]);
});

test("the server knows the same fields of the same types", () => {
  const wrong = { string: 1, boolean: "x", number: "x", list: [1], map: { a: 1 }, object: "x" };
  for (const name of fieldNames) {
    const rule = ruleOf(name);
    const base = name === "url" || name === "headers" ? { url: "https://x" } : { command: "x" };
    const entry = (value: unknown) => () =>
      assertEntry("a", { ...base, ...(name === "url" && { command: undefined }), [name]: value });
    expect(entry(wrong[rule?.type ?? "string"]), name).toThrow(name);
    if (rule?.choices)
      for (const choice of rule.choices)
        expect(() =>
          assertEntry("a", {
            ...(choice === "stdio" || name !== "type" ? { command: "x" } : { url: "https://x" }),
            [name]: rule.type === "list" ? [choice] : choice,
          }),
        ).not.toThrow();
  }
});
