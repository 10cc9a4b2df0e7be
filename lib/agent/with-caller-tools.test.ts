import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import { executeWithToolsStream } from "./execute-with-tools-stream";
import type { ToolBox, ToolSpec } from "./ports";
import { call, scriptedProvider, stop, text } from "./testing/scripted";
import { withCallerTools } from "./with-caller-tools";

const spec = (name: string): ToolSpec => ({ name, description: "", inputSchema: {} });
const calls: string[] = [];
const own: readonly ToolSpec[] = [spec("desk__work"), spec("ask")];
const box: ToolBox = {
  list: () => own,
  async call({ id, name }) {
    calls.push(name);
    return { id, status: "ok", content: [{ type: "text", text: "done" }] };
  },
};

async function run(tools: ToolBox, ...script: Parameters<typeof scriptedProvider>) {
  calls.length = 0;
  const provider = scriptedProvider(...script);
  const chunks: Chunk[] = [];
  const history = [{ role: "user" as const, parts: [{ type: "text" as const, text: "Go." }] }];
  const signal = new AbortController().signal;
  for await (const chunk of executeWithToolsStream({ provider, tools, system: "", history, signal }))
    chunks.push(chunk);
  const results = chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result : []));
  const end = chunks.at(-1);
  return { provider, results, end: end?.type === "result" ? end.result : undefined };
}

test("in a turn with calls of both, ours run and theirs are handed over, which ends the answer", async () => {
  const { results, end, provider } = await run(withCallerTools(box, [spec("theirs")]), [
    text("One moment."),
    call("a", "theirs"),
    call("b", "desk__work"),
    call("c", "theirs"),
    stop("tool_use"),
  ]);
  expect(calls).toEqual(["desk__work"]);
  expect(results.map(({ id, reason }) => [id, reason]).toSorted()).toEqual([
    ["a", "handed_over"],
    ["b", undefined],
    ["c", "handed_over"],
  ]);
  expect(end).toMatchObject({ stopReason: "end_turn", iterationsUsed: 1 });
  expect(provider.turns[0]?.tools.map(({ name }) => name)).toEqual(["desk__work", "ask", "theirs"]);
});

test("one of theirs stands for ours by the same name, and the list stays the same while ours does", async () => {
  const tools = withCallerTools(box, [spec("ask")]);
  const { results } = await run(tools, [call("a", "ask"), stop("tool_use")]);
  expect([calls, results[0]?.reason]).toEqual([[], "handed_over"]);
  expect(tools.list().map(({ name }) => name)).toEqual(["desk__work", "ask"]);
  expect(tools.list()).toBe(tools.list());
});

test("where one call at a time is wanted the first of theirs is handed over, and ours all run", async () => {
  const { results } = await run(withCallerTools(box, [spec("theirs")], { oneCall: true }), [
    call("a", "theirs"),
    call("b", "theirs"),
    call("c", "desk__work"),
    stop("tool_use"),
  ]);
  const reasons = Object.fromEntries(results.map(({ id, reason }) => [id, reason]));
  expect(reasons).toEqual({ a: "handed_over", b: "not_run", c: undefined });
});
