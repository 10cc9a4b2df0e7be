import { marked } from "marked";
import { expect, test } from "vitest";
import type { ToolCallId } from "./ids";
import { fenced, heading, toMarkdown } from "./told-markdown";
import { partsOf, type ToldMessage, type ToldPart, type ToldWords } from "./told-parts";

const words: ToldWords = {
  question: "Question",
  said: "Said meanwhile",
  answer: "Answer",
  reasoning: "Reasoning",
  summary: "Summary",
  call: "Tool call",
  arguments: "Arguments",
  result: "Result",
  noResult: "No result.",
  empty: "(empty)",
  status: { error: "failed", denied: "denied", unknown: "outcome unknown" },
};

const id = (name: string) => name as ToolCallId;
const user = (text: string, runId: string | null = null): ToldMessage => ({
  runId,
  model: null,
  message: { role: "user", parts: [{ type: "text", text }] },
});
const by = { runId: "r", model: "demo/demo" };
const call = (name: string) => ({
  type: "tool_call" as const,
  id: id(name),
  name: `desk__${name}`,
  args: { name },
});
const result = (name: string, text: string) => ({
  id: id(name),
  status: "ok" as const,
  content: [{ type: "text" as const, text }],
});

async function told(messages: ToldMessage[]): Promise<ToldPart[]> {
  const parts: ToldPart[] = [];
  for await (const part of partsOf(messages)) parts.push(part);
  return parts;
}

test("calls are told with their results, which may come in several messages", async () => {
  const parts = await told([
    user("Go."),
    {
      ...by,
      message: { role: "assistant", parts: [{ type: "text", text: "I look." }, call("a"), call("b")] },
    },
    { ...by, message: { role: "tool", results: [result("b", "two")] } },
    { ...by, message: { role: "tool", results: [result("a", "one")] } },
    user("Faster.", "r"),
    { ...by, message: { role: "assistant", parts: [call("c")] } },
  ]);
  expect(
    parts.map((part) => (part.kind === "call" ? [part.name, part.result?.id ?? null] : part.kind)),
  ).toEqual(["question", "answer", "text", ["desk__a", "a"], ["desk__b", "b"], "said", ["desk__c", null]]);
});

test("a fence is longer than any in it", () => {
  expect(fenced("a\n````\nb", "md")).toBe("`````md\na\n````\nb\n`````");
  const [block] = marked.lexer(fenced("```\n</details>\n# no heading\n```"));
  expect(block).toMatchObject({ type: "code", text: "```\n</details>\n# no heading\n```" });
});

test("what a person pasted and a cut answer end where they end", () => {
  const text = `${toMarkdown({ kind: "said", text: "```\nopen", files: [] }, words)}${toMarkdown({ kind: "text", text: "~~~js\ncut" }, words)}end`;
  expect(marked.lexer(text).flatMap(({ type }) => (type === "space" ? [] : type))).toEqual([
    "paragraph",
    "blockquote",
    "code",
    "paragraph",
  ]);
});

test("a call is folded, with its name escaped and its arguments as JSON", () => {
  const part: ToldPart = {
    kind: "call",
    name: "<b>__x",
    args: { path: "a" },
    result: { ...result("a", "```"), status: "error" },
  };
  expect(toMarkdown(part, words)).toBe(`<details>
<summary>Tool call: <code>&lt;b&gt;__x</code> (failed)</summary>

Arguments:

\`\`\`json
{
  "path": "a"
}
\`\`\`

Result:

\`\`\`\`
\`\`\`
\`\`\`\`

</details>

`);
});

test("a text of very many ticks is fenced as well", () => {
  expect(fenced("`a".repeat(200_000)).startsWith("```\n")).toBe(true);
});

test("files are references, and what is in a title is no Markdown", () => {
  const file = {
    type: "file" as const,
    mediaType: "image/png",
    attachmentId: "f1",
    size: 3,
    name: "a]b.png",
  };
  expect(toMarkdown({ kind: "question", text: "", files: [file] }, words)).toBe(
    "## Question\n\n> ![a\\]b.png](attachment:f1)\n\n",
  );
  expect(heading(1, "a\n# *b*")).toBe("# a \\# \\*b\\*\n\n");
});
