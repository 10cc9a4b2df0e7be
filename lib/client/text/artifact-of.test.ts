import { expect, test } from "vitest";
import { artifactFile } from "./artifact-file";
import { artifactOf } from "./artifact-of";
import { fencesOf } from "./fences";

const of = (text: string) => {
  const [fence] = fencesOf(text);
  return fence ? artifactOf(fence) : undefined;
};
const lines = (count: number, first = "") =>
  [first, ...Array.from({ length: count - (first ? 1 : 0) }, (_, at) => `line ${at}`)]
    .filter(Boolean)
    .join("\n");

test("HTML, SVG and Markdown are artifacts, and code from its sixteenth line on", () => {
  expect(of("```html\n<p>\n```")).toEqual({ kind: "html", name: null, language: "html" });
  expect(of("```xml\n<?xml version='1.0'?>\n<svg/>\n```")?.kind).toBe("svg");
  expect(of("```md\nhi\n```")?.kind).toBe("markdown");
  expect(of(`\`\`\`ts\n${lines(15)}\n\`\`\``)).toBeNull();
  expect(of(`\`\`\`ts\n${lines(16)}\n\`\`\``)?.kind).toBe("code");
  // What a tool said is no code.
  expect(of(`\`\`\`\n${lines(16)}\n\`\`\``)).toBeNull();
  expect(of(`\`\`\`text\n${lines(16)}\n\`\`\``)).toBeNull();
  expect(of(`\`\`\`text title="Minutes"\n${lines(16)}\n\`\`\``)?.name).toBe("Minutes");
  expect(of(`\`\`\`mermaid\n${lines(40)}\n\`\`\``)).toBeNull();
});

test.each([
  ['```html title="Refunds per hour"\n<p>\n```', "Refunds per hour"],
  ["```html {title='A b'}\n<p>\n```", "A b"],
  ["```html file=a/chart.html\n<title>No</title>\n```", "a/chart.html"],
  ["```html:pages/one.html\n<p>\n```", "pages/one.html"],
  ["```html chart.html\n<p>\n```", "chart.html"],
  ["```html\n<!-- title: The chart -->\n<title>No</title>\n```", "The chart"],
  ["```html\n<!doctype html><html><head><title>A &amp; b</title>\n```", "A & b"],
  ["```html\n<body><h1 class='x'>Sums</h1>\n```", "Sums"],
  ['```svg\n<svg xmlns="x"><title>Ring</title></svg>\n```', "Ring"],
  ["```markdown\nText.\n\n## The *plan* ##\n```", "The plan"],
  [`\`\`\`ts\n${lines(16, "// src/app.ts")}\n\`\`\``, "src/app.ts"],
  [`\`\`\`py\n${lines(16, "# file: tools/run.py")}\n\`\`\``, "tools/run.py"],
  [`\`\`\`css\n${lines(16, "/* 見た目.css */")}\n\`\`\``, "見た目.css"],
  [`\`\`\`ts\n${lines(16, "// the release went out at 9.")}\n\`\`\``, null],
  [`\`\`\`sh\n${lines(16, "#!/usr/bin/env run.sh")}\n\`\`\``, null],
])("%j is called %j", (text, name) => {
  expect(of(text)?.name).toBe(name);
});

test("a name is one line of what can be seen, and no longer than a person reads", () => {
  expect(of('```html title="a\u202e\u0000  b"\n<p>\n```')?.name).toBe("a b");
  expect(of(`\`\`\`html title="${"x".repeat(100_000)}"\n<p>\n\`\`\``)?.name).toHaveLength(120);
  expect(of(`\`\`\`html\n${"<title".repeat(100_000)}\n\`\`\``)?.name).toBeNull();
});

test("a file has a safe name, and the ending and the type of what it is", () => {
  const file = (kind: "html" | "svg" | "markdown" | "code", name: string | null, language = "") =>
    artifactFile({ kind, name, language });
  expect(file("html", "Refunds: per/hour")).toEqual({
    name: "Refunds per hour.html",
    type: "text/html;charset=utf-8",
  });
  expect(file("html", "evil.exe").name).toBe("evil.exe.html");
  expect(file("svg", "ring.svg").name).toBe("ring.svg");
  expect(file("markdown", null).name).toBe("markdown.md");
  expect(file("code", "../../src/app.ts", "ts")).toEqual({
    name: "app.ts",
    type: "text/plain;charset=utf-8",
  });
  expect(file("code", "CON", "python").name).toBe("code.py");
  expect(file("code", null, "weird/../x").name).toBe("code.txt");
});
