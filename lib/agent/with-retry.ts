import { runLimits } from "@/lib/protocol/run-limits";
import { passThroughAfterFirst, untilFirstChunk } from "./pass-through-after-first";
import { type Provider, ProviderError, type ProviderErrorCode } from "./ports";

export interface RetryOptions {
  /** How often a turn is tried in all, default 3. */
  attempts?: number;
  /** Before the second attempt, in ms, default 500; doubles with each. Up to half is added at random. */
  delayMs?: number;
}

const retryable: ReadonlySet<ProviderErrorCode> = new Set(["rate_limited", "unavailable", "timeout"]);

/** A server that asks for more than this is not waited for. */
const longestWaitMs = runLimits.chat.retryWaitMs;

/** Tries a turn again that failed before it showed anything; each wait is visible as a `notice`. */
export function withRetry(
  provider: Provider,
  { attempts = runLimits.chat.attempts, delayMs = 500 }: RetryOptions = {},
): Provider {
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        for (let attempt = 1; ; attempt++) {
          try {
            return yield* untilFirstChunk(provider.stream(turn));
          } catch (cause) {
            if (attempt >= attempts || turn.signal.aborted || !isRetryable(cause)) throw cause;
            const backoff = delayMs * 2 ** (attempt - 1) * (1 + Math.random() / 2);
            const wait = Math.round(cause.retryAfterMs ?? Math.min(backoff, longestWaitMs));
            const message = `${cause.message} Trying again in ${(wait / 1000).toFixed(1)} s (${attempt + 1} of ${attempts}).`;
            yield { type: "notice", kind: "retry", message, until: Date.now() + wait };
            await sleep(wait, turn.signal);
          }
        }
      }),
  };
}

function isRetryable(cause: unknown): cause is ProviderError {
  return (
    cause instanceof ProviderError && retryable.has(cause.code) && (cause.retryAfterMs ?? 0) <= longestWaitMs
  );
}

/** Rejects with the signal's reason as soon as it fires. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  const timer = setTimeout(resolve, ms);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
