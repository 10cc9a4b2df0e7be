import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { Provider } from "./ports";
import { run, scriptedProvider, stop, text } from "./testing/scripted";
import { withIdleTimeout } from "./with-idle-timeout";

const never = () => new Promise<never>(() => {});

/** Shows what it is given and then stays silent, deaf to the signal. */
const silentAfter = (...chunks: ModelChunk[]): Provider => ({
  async *stream() {
    yield* chunks;
    await never();
  },
});

test("a turn that never begins ends with a time-out error", async () => {
  const { kinds, result } = await run({ provider: withIdleTimeout(silentAfter(), 20) });
  expect(kinds).toBe("iteration result");
  expect(result).toMatchObject({ stopReason: "error", timedOut: false, error: { code: "timeout" } });
});

test("a turn that falls silent ends with its text", async () => {
  const { kinds, result } = await run({ provider: withIdleTimeout(silentAfter(text("Half")), 60_000, 20) });
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
  const { result } = await run({ provider: withIdleTimeout(provider, 60_000, 400) });
  expect(result).toMatchObject({ stopReason: "end_turn", finalText: "xxxxxx" });
});

test("Stop ends a turn whose adapter does not listen", async () => {
  const abort = new AbortController();
  const { kinds, result } = await run(
    { provider: withIdleTimeout(silentAfter(text("Half"))), signal: abort.signal },
    (chunk) => chunk.type === "text" && setImmediate(() => abort.abort()),
  );
  expect(kinds).toBe("iteration text result");
  expect(result.stopReason).toBe("aborted");
});

test("Stop while the reader is busy ends it as well", async () => {
  const abort = new AbortController();
  const { result } = await run(
    { provider: withIdleTimeout(silentAfter(text("Half"))), signal: abort.signal },
    (chunk) => chunk.type === "text" && abort.abort(),
  );
  expect(result.stopReason).toBe("aborted");
});

test("a slow reader is not the model's silence", async () => {
  const provider = scriptedProvider([text("a"), text("b"), stop("end_turn")]);
  const { result } = await run(
    { provider: withIdleTimeout(provider, 15) },
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
      return withIdleTimeout(provider, 20).stream(turn);
    },
  };
  await run({ provider: watched });
  expect(await told.promise).toMatchObject({ code: "timeout" });
  expect(outer && getEventListeners(outer, "abort")).toEqual([]);
});
