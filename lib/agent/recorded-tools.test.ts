import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { growth } from "@/lib/protocol/testing/growth";
import type { CallContext } from "./ports";
import { recordedTools } from "./recorded-tools";
import { adder, call, ok, run, scriptedProvider, stop, text, toolCall } from "./testing/scripted";

const context: CallContext = {
  signal: new AbortController().signal,
  emit: () => Promise.reject(new Error("A recording sends nothing.")),
};
const asked = (made: ToolCall): Chunk => ({ type: "tool_call", call: made });
const answered = (result: ToolResult): Chunk => ({ type: "tool_result", result, durationMs: 1 });
const id = (name: string) => name as ToolCallId;
const take = (tools: ReturnType<typeof recordedTools>, args: Record<string, unknown>, name = "demo__add") =>
  tools.call(toolCall("new", name, args), context);
const missing = { name: "RunError", code: "tape_miss" };

describe("in a loop", () => {
  const script = () =>
    scriptedProvider(
      [text("Twice."), call("a", "demo__add", { x: 1 }), call("b", "demo__add", { x: 2 }), stop("tool_use")],
      [text("Four."), stop("end_turn")],
    );

  test("the same model gets the same history, and nothing is sent", async () => {
    const first = await run({ provider: script() });
    const again = await run({ provider: script(), tools: recordedTools(first.log) });
    expect(again.result.historyDelta).toEqual(first.result.historyDelta);
    expect(again.result.stopReason).toBe("end_turn");
    expect(again.kinds).not.toContain("tool_start");
  });

  test("a call that is not recorded ends the run with its name, and its neighbours keep their results", async () => {
    const first = await run({ provider: script() });
    const provider = scriptedProvider([
      call("c", "demo__add", { x: 3 }),
      call("d", "demo__add", { x: 2 }),
      stop("tool_use"),
    ]);
    const { result } = await run({ provider, tools: recordedTools(first.log) });
    expect(result).toMatchObject({
      stopReason: "error",
      error: { code: "tape_miss", message: expect.stringContaining("demo__add") },
    });
    expect(result.historyDelta[1]).toMatchObject({
      results: [
        { id: "c", status: "error", reason: "not_run" },
        { id: "d", status: "ok" },
      ],
    });
    expect(provider.turns).toHaveLength(1);
  });

  test("or it goes to another tool box", async () => {
    const provider = () => scriptedProvider([call("c"), stop("tool_use")], [text("So."), stop("end_turn")]);
    const { result } = await run({ provider: provider(), tools: recordedTools([], { misses: adder }) });
    expect(result.stopReason).toBe("end_turn");
  });
});

describe("what is recorded", () => {
  test("is what the model asked for, whatever a person had run in its place", async () => {
    const log = [asked(toolCall("a", "demo__add", { x: 1 })), answered({ ...ok(id("a")), args: { x: 9 } })];
    expect(await take(recordedTools(log), { x: 1 })).toMatchObject({ id: "new", args: { x: 9 } });
    await expect(take(recordedTools(log), { x: 9 })).rejects.toMatchObject(missing);
  });

  test("is the last result of a call, and none that a crash or nobody has given", async () => {
    const cut: ToolResult = { ...ok(id("a"), "cut"), status: "unknown", reason: "cut_short" };
    const log = [asked(toolCall("a")), answered(cut), answered(ok(id("a"), "later"))];
    expect(await take(recordedTools(log), {})).toMatchObject({ content: [{ text: "later" }] });
    await expect(take(recordedTools(log.slice(0, 2)), {})).rejects.toMatchObject(missing);
    const left: ToolResult = { ...ok(id("a")), status: "denied", reason: "left_open" };
    await expect(take(recordedTools([asked(toolCall("a")), answered(left)]), {})).rejects.toMatchObject(
      missing,
    );
  });

  test("tells arguments that are no JSON apart", async () => {
    const broken = { ...toolCall("a"), malformed: "{x:" };
    const tools = recordedTools([asked(broken), answered(ok(id("a"), "no JSON"))]);
    await expect(take(tools, {})).rejects.toMatchObject(missing);
    expect(await tools.call({ ...broken, id: id("b") }, context)).toMatchObject({ id: "b" });
  });

  test("offers what the log says that the model was offered, or what it has called", () => {
    const spec = { name: "demo__sub", description: "Subtracts.", inputSchema: { type: "object" } };
    const request: Chunk = {
      ...{ type: "request", system: null, tools: "h", params: {} },
      contents: { h: JSON.stringify([spec]) },
    };
    const log = [request, asked(toolCall("a"))];
    expect(recordedTools(log).list()).toEqual([
      spec,
      { name: "demo__add", description: "", inputSchema: { type: "object" } },
    ]);
    expect(recordedTools(log, { specs: [] }).list()).toEqual([]);
  });
});

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("a__x", "a__y"),
    args: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    seed: fc.nat(3),
  }),
  { maxLength: 12 },
);
const recordedAs = (all: readonly { name: string; args: Record<string, unknown> }[]): Chunk[] => {
  const made = all.map(({ name, args }, at) => toolCall(`call_${at}`, name, args));
  // Results come in any order; that of the calls counts.
  return [...made.map(asked), ...made.map(({ id }) => answered(ok(id, `result of ${id}`))).toReversed()];
};
const turned = (args: Record<string, unknown>) => Object.fromEntries(Object.entries(args).toReversed());
const nameless = (args: Record<string, unknown>) => JSON.parse(JSON.stringify(args));

test("any calls, made again in their order, get their own results, each once; what came before is used up", async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.nat(12), async (drawn, split) => {
      // Many equal ones.
      const made = drawn.map(({ name, args, seed }) => ({
        name,
        args: seed > 0 ? nameless(args) : { n: 1 },
      }));
      const log = recordedAs(made);
      const before = Math.min(split, made.length);
      const past = recordedAs(made.slice(0, before));
      const tools = recordedTools(log, { past });
      for (const [at, { name, args }] of made.entries()) {
        if (at < before) continue;
        expect(await take(tools, turned(args), name)).toEqual(ok(id("new"), `result of call_${at}`));
      }
      for (const { name, args } of made) await expect(take(tools, args, name)).rejects.toMatchObject(missing);
    }),
  );
});

test("a recording of four times as many calls takes four times as long, equal ones too", async () => {
  const ratio = growth(5_000, (size) => {
    const log = recordedAs(Array.from({ length: size }, (_, n) => ({ name: "a__x", args: { n: n % 3 } })));
    return recordedTools(log, { past: log });
  });
  expect(ratio).toBeLessThan(9);
});
