import { type Hint, hints } from "@/lib/protocol/hints";
import { decodeMessages } from "./decode-events";
import { ApiError, send } from "./http";
import { touching } from "./stream";
import { ToldTab } from "./told-tab";

export interface LineDeps {
  fetch: typeof send;
  /** Resolves after so long, when the signal fires, or with `isEarly` soon after the network is back. */
  wait(ms: number, signal: AbortSignal, isEarly: boolean): Promise<void>;
}

/** The connection counts as dead after this long without a byte; the server sends a heartbeat within 15 s. */
const silenceMs = 45_000;
/** Until it is opened again, ms; twice as long with each failure. */
const [firstPauseMs, longestPauseMs] = [1_000, 60_000];

/** The server did not open the line. */
class Refusal extends Error {
  readonly retryAfterMs: number;

  constructor(readonly response: Response) {
    super(`The server answered ${response.status}.`);
    this.retryAfterMs = 1_000 * (Number(response.headers.get("Retry-After")) || 0);
  }
}

/**
 * Keeps one line to `GET /api/events` for all tabs of the browser, in one of them, and passes on what it tells. Where there
 * are no locks (plain HTTP) there is none: with one for each tab six of them would leave no connection for anything else.
 * Returns how to stop.
 */
export function keepLine({ fetch, wait }: LineDeps = { fetch: send, wait: pause }): () => void {
  if (!navigator.locks || typeof BroadcastChannel === "undefined") return () => {};
  const over = new AbortController();
  const { signal } = over;
  const tab = new ToldTab(signal);
  navigator.locks
    .request("meguri.line", { signal }, () => readLine(tab, signal, { fetch, wait }))
    // It was stopped while another tab had the lock.
    .catch(() => {});
  return () => over.abort();
}

/** Until the signal fires, or nobody is signed in here any more: another tab may know of somebody else. */
async function readLine(tab: ToldTab, signal: AbortSignal, deps: LineDeps): Promise<void> {
  tab.begin();
  for (let failures = 0; !signal.aborted; ) {
    let cause: unknown;
    try {
      await readOnce(tab, signal, deps, () => (failures = 0));
    } catch (thrown) {
      cause = thrown;
    }
    if (signal.aborted) return;
    tab.say("lost");
    if (cause instanceof Refusal && cause.response.status === 401) return;
    if (cause !== undefined) failures++;
    // Browsers that were cut off at the same moment must not come back at the same moment.
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1)) * Math.random();
    const asked = cause instanceof Refusal ? cause.retryAfterMs : 0;
    await deps.wait(asked + pauseMs, signal, cause instanceof ApiError);
  }
}

/** Resolves when the server has ended it. */
async function readOnce(
  tab: ToldTab,
  signal: AbortSignal,
  { fetch }: LineDeps,
  onOpen: () => void,
): Promise<void> {
  const line = new AbortController();
  const close = () => line.abort();
  signal.addEventListener("abort", close, { once: true });
  let timer = setTimeout(close, silenceMs);
  try {
    const headers = { Accept: "text/event-stream" };
    const response = await fetch("/api/events", { headers, cache: "no-store", signal: line.signal });
    if (!response.ok || !response.body) throw new Refusal(response);
    onOpen();
    tab.say("open");
    const alive = touching(response.body, () => {
      clearTimeout(timer);
      timer = setTimeout(close, silenceMs);
      tab.beat();
    });
    for await (const { event } of decodeMessages(alive)) if (isHint(event)) tab.say(event);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", close);
    line.abort();
  }
}

/** A newer server may tell of more. */
const isHint = (event: string | undefined): event is Hint => hints.some((hint) => hint === event);

function pause(ms: number, signal: AbortSignal, isEarly: boolean): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      removeEventListener("online", soon);
      resolve();
    }
    function soon() {
      clearTimeout(timer);
      timer = setTimeout(done, firstPauseMs * Math.random());
    }
    signal.addEventListener("abort", done, { once: true });
    if (isEarly) addEventListener("online", soon, { once: true });
  });
}
