import { expect, test } from "vitest";
import type { ToolBox } from "./ports";
import { call, ok, run, scriptedProvider, stop, text } from "./testing/scripted";
import { withIntents } from "./with-intents";
import { withSequential } from "./with-sequential";

const script = () =>
  scriptedProvider([call("a"), call("b"), call("c"), stop("tool_use")], [text("ok"), stop("end_turn")]);

test("calls run one at a time, in call order", async () => {
  let running = 0;
  const tools: ToolBox = withIntents({
    list: () => [],
    call: async ({ id }) => {
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running--;
      return ok(id);
    },
  });
  const { log } = await run({ provider: script(), tools: withSequential(tools) });
  const order = log.flatMap((chunk) =>
    chunk.type === "tool_start"
      ? [`start ${chunk.id}`]
      : chunk.type === "tool_result"
        ? [`end ${chunk.result.id}`]
        : [],
  );
  expect(order).toEqual(["start a", "end a", "start b", "end b", "start c", "end c"]);
});

test("a call that waits for a person lets the next ones go, and so does one that fails", async () => {
  const tools: ToolBox = {
    list: () => [],
    call: async ({ id }) => {
      if (id === "a") return { waiting: "awaiting_approval" };
      if (id === "b") throw new Error("broken");
      return ok(id);
    },
  };
  const { result } = await run({ provider: script(), tools: withSequential(tools) });
  expect(result.stopReason).toBe("awaiting_approval");
  expect(result.historyDelta[1]).toMatchObject({
    results: [
      { id: "b", status: "error" },
      { id: "c", status: "ok" },
    ],
  });
});

test("after Stop no call begins", async () => {
  const abort = new AbortController();
  const begun: string[] = [];
  const tools: ToolBox = withIntents({
    list: () => [],
    call: async ({ id }) => {
      begun.push(id);
      abort.abort();
      await new Promise(setImmediate);
      return ok(id);
    },
  });
  const { result } = await run({ provider: script(), tools: withSequential(tools), signal: abort.signal });
  await new Promise(setImmediate);
  expect(begun).toEqual(["a"]);
  expect(result.historyDelta[1]).toMatchObject({
    results: [{ status: "unknown" }, { status: "error" }, { status: "error" }],
  });
});
