import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { Provider, ToolBox } from "./ports";
import { adder, call, ok, run, scriptedProvider, stop, text } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withCallTimeout, withTurnTimeouts } from "./with-timeouts";

const never = () => new Promise<never>(() => {});

/** Shows what it is given and then stays silent, deaf to the signal. */
const silentAfter = (...chunks: ModelChunk[]): Provider => ({
  async *stream() {
    yield* chunks;
    await never();
  },
});

test("a turn that never begins ends with a time-out error", async () => {
  const { kinds, result } = await run({ provider: withTurnTimeouts(silentAfter(), 20) });
  expect(kinds).toBe("iteration result");
  expect(result).toMatchObject({ stopReason: "error", timedOut: false, error: { code: "timeout" } });
});

test("a turn that falls silent ends with its text", async () => {
  const { kinds, result } = await run({ provider: withTurnTimeouts(silentAfter(text("Half")), 60_000, 20) });
  expect(kinds).toBe("iteration text result");
  expect(result).toMatchObject({ error: { code: "timeout" }, finalText: "Half" });
});

test("a long turn that is never silent for long goes on", async () => {
  const provider: Provider = {
    async *stream() {
      for (let count = 0; count < 6; count++) {
        yield text("x");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      yield stop("end_turn");
    },
  };
  const { result } = await run({ provider: withTurnTimeouts(provider, 60_000, 400) });
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: "xxxxxx" });
});

test("Stop ends a turn whose adapter does not listen", async () => {
  const abort = new AbortController();
  const { kinds, result } = await run(
    { provider: withTurnTimeouts(silentAfter(text("Half"))), signal: abort.signal },
    (chunk) => chunk.type === "text" && setImmediate(() => abort.abort()),
  );
  expect(kinds).toBe("iteration text result");
  expect(result.stopReason).toBe("aborted");
});

test("Stop while the reader is busy ends it as well", async () => {
  const abort = new AbortController();
  const { result } = await run(
    { provider: withTurnTimeouts(silentAfter(text("Half"))), signal: abort.signal },
    (chunk) => chunk.type === "text" && abort.abort(),
  );
  expect(result.stopReason).toBe("aborted");
});

test("a slow reader is not the model's silence", async () => {
  const provider = scriptedProvider([text("a"), text("b"), stop("end_turn")]);
  const { result } = await run(
    { provider: withTurnTimeouts(provider, 15) },
    () => new Promise((resolve) => setTimeout(resolve, 40)),
  );
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: "ab" });
});

test("the adapter is told, with the reason, and nothing stays behind", async () => {
  let outer: AbortSignal | undefined;
  const told = Promise.withResolvers<unknown>();
  const provider: Provider = {
    stream: ({ signal }) => {
      signal.addEventListener("abort", () => told.resolve(signal.reason));
      return silentAfter().stream({ system: "", history: [], tools: [], signal });
    },
  };
  const watched: Provider = {
    stream: (turn) => {
      outer = turn.signal;
      return withTurnTimeouts(provider, 20).stream(turn);
    },
  };
  await run({ provider: watched });
  expect(await told.promise).toMatchObject({ code: "timeout" });
  expect(outer && getEventListeners(outer, "abort")).toEqual([]);
});

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
      {
        status: "unknown",
        reason: "unfinished",
        content: [{ text: "No answer within 0.02 s, the time limit of a call." }],
      },
    ],
  });
  expect(await told.promise).toMatchObject({ message: "The call took longer than 20 ms." });
});

test("a call that was not sent in time is an error, and is not sent later", async () => {
  const late = Promise.withResolvers<unknown>();
  const slow: ToolBox = {
    list: adder.list,
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
