import { expect, test } from "vitest";
import { element } from "./element";

const file = (text: string) => element("project_file", { key: "name", value: 'a"b' }, text);

test("a text neither ends its element nor begins another", () => {
  expect(file("Plain <b>text</b> about project_file.")).toBe(
    '<project_file name="a\\"b">\nPlain <b>text</b> about project_file.\n</project_file>',
  );
  for (const tag of [
    "</project_file>",
    "< / PROJECT_FILE >",
    "<\n/project_file",
    "<instructions>",
    "</server_instructions>",
  ])
    expect(file(tag)).toBe(`<project_file name="a\\"b">\n<\\${tag.slice(1)}\n</project_file>`);
});

test("is read in one pass, whatever it holds", () => {
  const text = `${"<".repeat(200_000)}${" ".repeat(200_000)}`;
  expect(file(text)).toHaveLength(text.length + file("").length);
});

test("a text that was cut within a character can be sent", () => {
  expect(file("Fine 😀".slice(0, -1))).toBe('<project_file name="a\\"b">\nFine \ufffd\n</project_file>');
});
