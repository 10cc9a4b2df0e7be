import { expect, test } from "vitest";
import type { ToolBox } from "./ports";
import { call, ok, run, scriptedProvider, stop, text } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withSequential } from "./with-sequential";

const script = () =>
  scriptedProvider([call("a"), call("b"), call("c"), stop("tool_use")], [text("ok"), stop("end_turn")]);

/** Stands for wrappers outside, through which a result takes its time. */
const throughLayers = (tools: ToolBox): ToolBox => ({
  list: () => [],
  call: async (asked, context) => {
    const outcome = await tools.call(asked, context);
    for (let layer = 0; layer < 20; layer++) await null;
    return outcome;
  },
});

test("calls run one at a time, in call order, each after the result before it is stored", async () => {
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
  const { log } = await run({ provider: script(), tools: throughLayers(withSequential(tools)) });
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
  const over = Promise.withResolvers<void>();
  const tools = withSequential({
    list: () => [],
    call: async ({ id }) => {
      begun.push(id);
      abort.abort();
      return ok(id);
    },
  });
  const watched: ToolBox = {
    list: () => [],
    call: (asked, context) =>
      tools.call(asked, context).finally(() => {
        if (asked.id === "c") over.resolve();
      }),
  };
  const { result } = await run({ provider: script(), tools: watched, signal: abort.signal });
  await over.promise;
  expect(begun).toEqual(["a"]);
  expect(result.stopReason).toBe("aborted");
});

test("calls of one queue run one at a time, those of no queue beside them", async () => {
  const running = new Set<string>();
  const together: string[] = [];
  const tools: ToolBox = withIntents({
    list: () => [],
    call: async ({ id, name }) => {
      running.add(id);
      await new Promise(setImmediate);
      together.push([...running].sort().join(""));
      running.delete(id);
      return ok(id, name);
    },
  });
  const provider = scriptedProvider(
    [call("a", "slow__x"), call("b", "slow__y"), call("c", "free__z"), stop("tool_use")],
    [text("ok"), stop("end_turn")],
  );
  const queueOf = ({ name }: { name: string }) => (name.startsWith("slow") ? "slow" : undefined);
  const { result } = await run({ provider, tools: withSequential(tools, queueOf) });
  expect(together[0]).toBe("ac");
  expect(together.at(-1)).toBe("b");
  expect(result.historyDelta[1]).toMatchObject({ results: [{ id: "a" }, { id: "b" }, { id: "c" }] });
});
