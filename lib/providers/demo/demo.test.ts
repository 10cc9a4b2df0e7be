import { expect, test } from "vitest";
import type { Turn } from "@/lib/agent/ports";
import type { ToolResult } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";
import { openProviders } from "@/lib/providers/providers";
import { answer, callsOf, collect, kinds, textOf, tool, turn, user } from "@/lib/providers/testing/turn";

const demo = openProviders({}, { demoPieceMs: 0 }).provider("demo/demo");
const tools = [
  "filesystem__list_allowed_directories",
  "filesystem__list_directory",
  "filesystem__read_text_file",
  "filesystem__write_file",
  "memory__read_graph",
  "memory__create_entities",
  "memory__add_observations",
  "sequential-thinking__sequentialthinking",
].map((name) => tool(name));

type Answers = (name: string, args: Record<string, unknown>) => string | Partial<ToolResult>;

/** Plays a request to its end, as the loop does. */
async function play(request: string, answers: Answers = () => "ok", offered: Turn["tools"] = tools) {
  const record = new Transcript([user(request)]);
  const called: [name: string, args: Record<string, unknown>][] = [];
  const sequence: string[] = [];
  for (let round = 0; round < 8; round++) {
    const { chunks, error } = await collect(demo, turn(record.history(), { tools: offered }));
    expect(error).toBeUndefined();
    sequence.push(kinds(chunks));
    for (const chunk of chunks) record.add(chunk);
    const calls = callsOf(chunks);
    if (calls.length === 0) return { text: textOf(chunks), called, sequence, record };
    for (const call of calls) {
      called.push([call.name, call.args]);
      const said = answers(call.name, call.args);
      const result = typeof said === "string" ? answer(call, said) : answer(call, "", said);
      record.add({ type: "tool_result", result, durationMs: 1 });
    }
  }
  throw new Error("The demo did not come to an end.");
}

test.each([
  ["Hello!", "not an AI model"],
  ["こんにちは", "AI モデルではありません"],
])("%s is answered with what the demo is and how to add a key", async (request, honest) => {
  const { text, called } = await play(request);
  expect(called).toEqual([]);
  expect(text).toContain(honest);
  for (const name of ["GOOGLE_GENERATIVE_AI_API_KEY", "OLLAMA_BASE_URL", "OPENAI_BASE_URL", "filesystem"])
    expect(text).toContain(name);
});

test.each(["list the files", "Please show me the files", "ファイルを一覧", "ファイルの一覧を見せて"])(
  "%s asks for the folder, lists it and says what is in it",
  async (request) => {
    const { text, called, sequence } = await play(request, (name) =>
      name.endsWith("list_directory") ? "[FILE] a.txt\n[DIR] sub" : "Allowed directories:\n/data/sandbox",
    );
    expect(called).toEqual([
      ["filesystem__list_allowed_directories", {}],
      ["filesystem__list_directory", { path: "/data/sandbox" }],
    ]);
    expect(sequence).toEqual(["reasoning tool_call usage", "reasoning tool_call usage", "text usage"]);
    expect(text).toContain("/data/sandbox");
    expect(text).toContain("- `a.txt`\n- `sub/`");
  },
);

test.each(["read hello.md", "hello.md を読んで", "「hello.md」を読んで"])(
  "%s shows the file",
  async (request) => {
    const { text, called } = await play(request, () => "```\nHi there\n```");
    expect(called).toEqual([["filesystem__read_text_file", { path: "hello.md" }]]);
    expect(text).toContain("````\n```\nHi there\n```\n````");
  },
);

test.each([
  ["write a note called hello saying Hi you", "Hi you\n"],
  ["「hello」というメモに「こんにちは」と書いて", "こんにちは\n"],
])("%s writes the note", async (request, content) => {
  const { text, called } = await play(request);
  expect(called).toEqual([["filesystem__write_file", { path: "hello.md", content }]]);
  expect(text).toContain("hello.md");
});

test.each([
  ["remember that I like green tea.", "I like green tea"],
  ["緑茶が好きなことを覚えて", "緑茶が好きなこと"],
])("%s is kept by the memory server", async (request, fact) => {
  const empty = await play(request, () => JSON.stringify({ entities: [], relations: [] }));
  expect(empty.called).toEqual([
    ["memory__read_graph", {}],
    ["memory__create_entities", { entities: [{ name: "user", entityType: "person", observations: [fact] }] }],
  ]);
  expect(empty.text).toContain(fact);
  const filled = await play(request, () =>
    JSON.stringify({ entities: [{ name: "user", observations: ["x"] }] }),
  );
  expect(filled.called[1]).toEqual([
    "memory__add_observations",
    { observations: [{ entityName: "user", contents: [fact] }] },
  ]);
});

test.each(["What do you remember?", "何を覚えていますか"])(
  "%s lists what is in the memory",
  async (request) => {
    const graph = JSON.stringify({
      entities: [{ name: "user", observations: ["likes tea", "lives in Kyoto"] }],
    });
    const { text, called } = await play(request, () => graph);
    expect(called).toEqual([["memory__read_graph", {}]]);
    expect(text).toContain("- **user**: likes tea\n- **user**: lives in Kyoto");
  },
);

test.each(["think step by step about tea", "お茶について順を追って考えて"])(
  "%s calls the tool three times",
  async (request) => {
    const { called, sequence } = await play(request);
    expect(called.map(([, args]) => [args.thoughtNumber, args.nextThoughtNeeded])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
    expect(sequence).toHaveLength(4);
  },
);

test("/tool runs any tool, several lines run at once, and what is no JSON goes on as written", async () => {
  const { called, text, sequence } = await play('/tool a__b {"n": 1}\n/tool c__d', (name) => `from ${name}`);
  expect(called).toEqual([
    ["a__b", { n: 1 }],
    ["c__d", {}],
  ]);
  expect(sequence[0]).toBe("reasoning tool_call tool_call usage");
  expect(text).toContain("`a__b` answered:\n\n```\nfrom a__b\n```");
  expect(text).toContain("from c__d");
  const { chunks } = await collect(demo, turn([user("/tool a__b {oops")], { tools }));
  expect(callsOf(chunks)).toMatchObject([{ name: "a__b", args: {}, malformed: "{oops" }]);
});

test("its arguments are written in a few pieces, which add up to the call", async () => {
  const args = { path: "notes/名前.md", content: "A note that is long enough to be written in pieces.\n" };
  const { chunks } = await collect(demo, turn([user(`/tool a__b ${JSON.stringify(args)}`)], { tools }));
  const pieces = chunks.filter((chunk) => chunk.type === "tool_input");
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.length).toBeLessThanOrEqual(6);
  expect(JSON.parse(pieces.map(({ content }) => content).join(""))).toEqual(args);
  expect(new Set(pieces.map(({ id }) => id))).toEqual(new Set(callsOf(chunks).map(({ id }) => id)));
});

test.each([
  ["denied", "You did not allow `filesystem__read_text_file`"],
  ["error", "`filesystem__read_text_file` failed"],
  ["unknown", "Nobody knows whether"],
] as const)("a result that is %s is said so", async (status, said) => {
  const content = [{ type: "text" as const, text: "because" }];
  const { text } = await play("read a.md", () => ({ status, content }));
  expect(text).toContain(said);
  expect(text).toContain("because");
});

test.each([
  ["list the files", "filesystem"],
  ["何を覚えていますか", "memory"],
])("%s without its server says which one is missing", async (request, server) => {
  const { text, called } = await play(request, undefined, []);
  expect(called).toEqual([]);
  expect(text).toContain(`\`${server}\``);
  expect(text).toMatch(/Settings → MCP servers|設定 → MCP サーバー/);
});

test("a long result is shown only in part", async () => {
  const { text } = await play("read big.txt", () => "x".repeat(100_000));
  expect(text.length).toBeLessThan(2_500);
});

test.each(["count to 12", "12まで数えて"])("%s comes in pieces", async (request) => {
  const { chunks } = await collect(demo, turn([user(request)], { tools }));
  expect(textOf(chunks)).toBe("1 2 3 4 5 6 7 8 9 10 11 12.");
  expect(chunks).toHaveLength(13);
});

test.each(["show markdown", "マークダウンを見せて"])(
  "%s shows a table, code and a quote",
  async (request) => {
    const { text } = await play(request);
    for (const sign of ["| --- |", "```ts", "```python", "\n> ", "\n- "]) expect(text).toContain(sign);
  },
);

test("Stop ends the demo at once with the signal's reason", async () => {
  const slow = openProviders({}, { demoPieceMs: 100_000 }).provider("demo/demo");
  const stop = new AbortController();
  const ending = collect(slow, turn([user("/slow")], { signal: stop.signal }));
  stop.abort(new Error("stopped"));
  expect(String((await ending).error)).toBe("Error: stopped");
});

test("an earlier request is not answered again", async () => {
  const { record } = await play("read hello.md");
  const next = [...record.history(), user("Thank you")];
  const { chunks } = await collect(demo, turn(next, { tools }));
  expect(kinds(chunks)).toBe("text usage");
  expect(textOf(chunks)).toContain("not an AI model");
});
