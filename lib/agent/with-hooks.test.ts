import { expect, test } from "vitest";
import { LoopStop, type ToolBox } from "./ports";
import { call, ok, run, scriptedProvider, stop, text } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withModelHooks, withToolHooks } from "./with-hooks";

const script = () =>
  scriptedProvider([call("a", "demo__add", { b: 1 }), stop("tool_use")], [text("done"), stop("end_turn")]);

const seen: Record<string, unknown>[] = [];
const tools: ToolBox = withIntents({
  list: () => [],
  call: async ({ id, args }) => {
    seen.push(args);
    return ok(id, "sum");
  },
});

test("a hook changes the turn before the model and the words after it", async () => {
  const provider = scriptedProvider([text("hello"), stop("end_turn")]);
  const hooked = withModelHooks(provider, {
    before: async (turn) => ({ ...turn, system: `${turn.system} Be brief.` }),
    after: (chunk) => (chunk.type === "text" ? { ...chunk, content: chunk.content.toUpperCase() } : chunk),
  });
  const { result } = await run({ provider: hooked, system: "You help." });
  expect(provider.turns[0]?.system).toBe("You help. Be brief.");
  expect(result.finalText).toBe("HELLO");
});

test("a hook that stops the loop before a turn ends the run for its reason, and the model is not asked", async () => {
  const provider = script();
  const hooked = withModelHooks(provider, {
    before: () => {
      throw new LoopStop("max_iterations");
    },
  });
  const { result } = await run({ provider: hooked });
  expect(result.stopReason).toBe("max_iterations");
  expect(provider.turns).toHaveLength(0);
});

test("a hook changes the arguments, which are kept with the result, and the result", async () => {
  const hooked = withToolHooks(tools, {
    before: (made) => ({ ...made, args: { b: 2 } }),
    after: (_, result) => ({ ...result, content: [{ type: "text", text: "[hidden]" }] }),
  });
  const { result } = await run({ provider: script(), tools: hooked });
  expect(seen.at(-1)).toEqual({ b: 2 });
  expect(result.historyDelta[1]).toMatchObject({
    results: [{ id: "a", args: { b: 2 }, content: [{ text: "[hidden]" }] }],
  });
});

test("a veto is a result that the model reads, and nothing is called", async () => {
  const before = seen.length;
  const hooked = withToolHooks(tools, {
    before: ({ id }) => ({ id, status: "denied", content: [{ type: "text", text: "Not on Sundays." }] }),
  });
  const { kinds, result } = await run({ provider: script(), tools: hooked });
  expect(kinds).toBe("iteration tool_call usage tool_result iteration text usage result");
  expect(result.historyDelta[1]).toMatchObject({ results: [{ status: "denied" }] });
  expect(seen).toHaveLength(before);
});

test("a call that waits is passed on as it is, and a hook that throws costs its call alone", async () => {
  const waiting: ToolBox = { list: () => [], call: async () => ({ waiting: "awaiting_approval" }) };
  const after = () => {
    throw new Error("never asked");
  };
  const waits = await run({ provider: script(), tools: withToolHooks(waiting, { after }) });
  expect(waits.result.stopReason).toBe("awaiting_approval");
  const broken = await run({ provider: script(), tools: withToolHooks(tools, { after }) });
  expect(broken.result).toMatchObject({ stopReason: "end_turn", finalText: "done" });
});
