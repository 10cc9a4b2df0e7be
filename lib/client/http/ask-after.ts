import { type ApiError, asApiError } from "./http";

/**
 * Asks once nothing was typed or chosen for so long, in ms. Returns what cancels it, request and all: neither `take` nor
 * `fail` is called after that.
 */
export function askAfter<T>(
  restMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
  take: (answer: T) => void,
  fail: (error: ApiError) => void,
): () => void {
  const request = new AbortController();
  const { signal } = request;
  const timer = setTimeout(() => {
    ask(signal).then(
      (answer) => {
        if (!signal.aborted) take(answer);
      },
      (cause) => {
        if (!signal.aborted) fail(asApiError(cause));
      },
    );
  }, restMs);
  return () => {
    clearTimeout(timer);
    request.abort();
  };
}
