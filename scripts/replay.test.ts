import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("replay.mjs", import.meta.url));
const run = (input: string, file = "-") => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, file], { input, encoding: "utf8" });
  return { status, stdout, stderr };
};

const header = (events: number, told: object = {}) => ({
  ...{ meguri: "run", version: 1, app: "1.0.0", conversation: { id: "c", title: "A talk" } },
  run: { id: "r", messageId: "q", parentId: "q", model: "demo/demo", startedAt: "2026-01-01T00:00:00.000Z" },
  history: [{ id: "q", message: { role: "user", parts: [{ type: "text", text: "What is here?" }] } }],
  events,
  ...told,
});
const chunks = [
  { type: "iteration", index: 1 },
  { type: "text", content: "I look\u001b[2J" },
  { type: "tool_call", call: { id: "a", name: "files__list", args: { path: "/x" } } },
  { type: "usage", inputTokens: 5, outputTokens: 7, stopReason: "tool_use" },
  {
    type: "tool_result",
    durationMs: 1234,
    result: { id: "a", status: "ok", content: [{ type: "text", text: "one.txt" }] },
  },
  { type: "result", result: { stopReason: "end_turn", iterationsUsed: 1, usage: { inputTokens: 5 } } },
];
const eventsOf = (list: readonly object[]) =>
  list.map((data, index) => ({ seq: index + 1, at: `2026-01-01T00:00:0${index}.500Z`, data }));
const toFile = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const whole = toFile([header(chunks.length), ...eventsOf(chunks)]);

test("a run is printed with its question, what was said and called, times, tokens and its end", () => {
  const { status, stdout, stderr } = run(whole);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(
    [
      "== A talk",
      "   demo/demo · 2026-01-01T00:00:00.000Z · Meguri 1.0.0 · 1 messages before it",
      "",
      "> What is here?",
      "[    0.50 s] -- loop 1",
      "",
      "I look\uFFFD[2J",
      '[    2.50 s] calls files__list {"path":"/x"}',
      "[    3.50 s] 5 tokens in, 7 out, tool_use",
      "[    4.50 s] ok files__list in 1.23 s: one.txt",
      "[    5.50 s] == ended: end_turn after 1 loops, 5 tokens in, 0 out",
      "",
    ].join("\n"),
  );
});

test.for([
  ["nothing", "", "The file is empty."],
  ["no JSON", "hello\n", "This is not the file of a run"],
  ["another file", '{"meguri":"conversation"}\n', "This is not the file of a run"],
  ["a newer version", toFile([header(0, { version: 2 })]), "A newer version"],
  ["a file cut in a line", whole.slice(0, -20), "Line 7 is no JSON"],
  [
    "a file cut between lines",
    toFile([header(3), ...eventsOf(chunks).slice(0, 2)]),
    "ends after event 2 of 3",
  ],
  ["a gap", toFile([header(2), ...eventsOf(chunks).slice(1, 3)]), "Line 2: event 1 was expected"],
])("%s is refused in words", ([_, input, words]) => {
  const { status, stderr } = run(input ?? "");
  expect(status).toBe(1);
  expect(stderr).toContain(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("a file that is not there is named", () => {
  expect(run("", "/nowhere/run.ndjson")).toMatchObject({
    status: 1,
    stderr: "There is no file /nowhere/run.ndjson.\n",
  });
});
