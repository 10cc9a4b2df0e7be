import { expect, test } from "vitest";
import type { ToolBox } from "./ports";
import { adder, call, ok, run, scriptedProvider, stop, text } from "./testing/scripted";
import { withCallTimeout } from "./with-call-timeout";
import { withIntents } from "./with-intents";

const never = () => new Promise<never>(() => {});
const script = () => scriptedProvider([call("a"), stop("tool_use")], [text("ok"), stop("end_turn")]);

test("a call that was sent and does not answer in time is unknown, and the run goes on", async () => {
  const told = Promise.withResolvers<unknown>();
  const hanging: ToolBox = withIntents({
    list: () => [],
    call: (_, { signal }) => {
      signal.addEventListener("abort", () => told.resolve(signal.reason));
      return never();
    },
  });
  const { kinds, result } = await run({ provider: script(), tools: withCallTimeout(hanging, 20) });
  expect(kinds).toBe("iteration tool_call usage tool_start tool_result iteration text usage result");
  expect(result.historyDelta[1]).toMatchObject({
    results: [
      { status: "unknown", content: [{ text: "No answer within 0.02 s, the time limit of a call." }] },
    ],
  });
  expect(await told.promise).toMatchObject({ message: "The call took longer than 20 ms." });
});

test("a call that was not sent in time is an error, and is not sent later", async () => {
  const late = Promise.withResolvers<unknown>();
  const slow: ToolBox = {
    list: () => [],
    call: async ({ id, args }, { emit, signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await emit({ type: "tool_start", id, args }).catch(late.resolve);
      return never();
    },
  };
  const { kinds, result } = await run({ provider: script(), tools: withCallTimeout(slow, () => 20) });
  expect(kinds).toBe("iteration tool_call usage tool_result iteration text usage result");
  expect(result.historyDelta[1]).toMatchObject({ results: [{ status: "error" }] });
  expect(await late.promise).toBeInstanceOf(Error);
});

test("a call whose intent takes too long to store is not sent", async () => {
  let isSent = false;
  const tools = withIntents({
    list: () => [],
    call: async ({ id }) => {
      isSent = true;
      return ok(id);
    },
  });
  const { result } = await run({ provider: script(), tools: withCallTimeout(tools, 10) }, async (chunk) => {
    if (chunk.type === "tool_start") await new Promise((resolve) => setTimeout(resolve, 50));
  });
  expect(isSent).toBe(false);
  expect(result.historyDelta[1]).toMatchObject({ results: [{ status: "unknown" }] });
});

test("a call in time passes, and so does one that comes to wait for a person", async () => {
  const waits: ToolBox = { list: () => [], call: async () => ({ waiting: "awaiting_input" }) };
  const quick = await run({ provider: script(), tools: withCallTimeout(adder, 5000) });
  expect(quick.result.historyDelta[1]).toMatchObject({ results: [{ id: "a", status: "ok" }] });
  const waiting = await run({ provider: script(), tools: withCallTimeout(waits, 5000) });
  expect(waiting.result.stopReason).toBe("awaiting_input");
});

test("Stop reaches the call through the limit", async () => {
  const abort = new AbortController();
  const told = Promise.withResolvers<void>();
  const hanging: ToolBox = withIntents({
    list: () => [],
    call: (_, { signal }) => {
      signal.addEventListener("abort", () => told.resolve());
      abort.abort();
      return never();
    },
  });
  const { result } = await run({
    provider: script(),
    tools: withCallTimeout(hanging, 60_000),
    signal: abort.signal,
  });
  expect(result.stopReason).toBe("aborted");
  await told.promise;
});
