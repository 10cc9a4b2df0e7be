import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Provider } from "./ports";
import { ProviderError } from "./ports";
import { run, scriptedProvider, stop, text, writes } from "./testing/scripted";
import { withRetry } from "./with-retry";

const answer = [text("4"), stop("end_turn")];
const busy = (retryAfterMs?: number) =>
  new ProviderError("rate_limited", "Too many requests.", { retryAfterMs });
const quick = { delayMs: 1 };

test("a turn that failed before it showed anything is tried again, visibly", async () => {
  const provider = scriptedProvider([busy()], [new ProviderError("unavailable", "503.")], answer);
  const { kinds, log, result } = await run({ provider: withRetry(provider, quick) });
  expect(kinds).toBe("iteration notice notice text usage result");
  expect(log[1]).toEqual({
    until: expect.any(Number),
    type: "notice",
    kind: "retry",
    message: "Too many requests. Trying again in 0.0 s (2 of 3).",
  });
  expect(result).toMatchObject({ stopReason: "end_turn", iterationsUsed: 1 });
});

test("the last failure is the one that is reported", async () => {
  const last = new ProviderError("timeout", "Silent.");
  const provider = scriptedProvider([busy()], [busy()], [last]);
  const { kinds, result } = await run({ provider: withRetry(provider, quick) });
  expect(kinds).toBe("iteration notice notice result");
  expect(result.error).toEqual({ code: "timeout", message: "Silent." });
});

test("a turn that broke while it wrote the arguments of its first call is tried again", async () => {
  const provider = scriptedProvider([writes("a", ""), writes("a", '{"n'), busy()], answer);
  const { kinds, result } = await run({ provider: withRetry(provider, quick) });
  expect(kinds).toBe("iteration tool_input tool_input notice text usage result");
  expect(result.historyDelta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "4" }] }]);
});

describe("is not tried again:", () => {
  test("a turn that has shown something", async () => {
    const provider = scriptedProvider([text("Half"), busy()]);
    const { kinds, result } = await run({ provider: withRetry(provider, quick) });
    expect(kinds).toBe("iteration text result");
    expect(result.finalText).toBe("Half");
  });

  test.for([
    new ProviderError("auth", "Wrong key."),
    new ProviderError("context_overflow", "Too long."),
    new ProviderError("bad_response", "No JSON."),
    new TypeError("bug"),
  ])("%s", async (cause) => {
    const { kinds, result } = await run({ provider: withRetry(scriptedProvider([cause]), quick) });
    expect(kinds).toBe("iteration result");
    expect(result.stopReason).toBe("error");
  });

  test("a server that asks for more than 20 s", async () => {
    const { kinds, result } = await run({ provider: withRetry(scriptedProvider([busy(20_001)]), quick) });
    expect(kinds).toBe("iteration result");
    expect(result.error?.code).toBe("rate_limited");
  });
});

test("the time that the server asks for is kept", async () => {
  const { log } = await run({
    provider: withRetry(scriptedProvider([busy(40)], answer), { delayMs: 60_000 }),
  });
  expect(log[1]).toMatchObject({ message: "Too many requests. Trying again in 0.0 s (2 of 3)." });
  expect(log.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
});

test("Stop ends the waiting, and no listener stays behind", async () => {
  const abort = new AbortController();
  let listeners = 0;
  const provider: Provider = {
    stream: (turn) => {
      listeners = getEventListeners(turn.signal, "abort").length;
      signal = turn.signal;
      return scriptedProvider([busy()]).stream(turn);
    },
  };
  let signal: AbortSignal | undefined;
  const { kinds, result } = await run(
    { provider: withRetry(provider, { delayMs: 60_000 }), signal: abort.signal },
    (chunk) => chunk.type === "notice" && setImmediate(() => abort.abort()),
  );
  expect(kinds).toBe("iteration notice result");
  expect(result.stopReason).toBe("aborted");
  expect(signal && getEventListeners(signal, "abort").length).toBe(listeners);
});
