import { setTimeout as sleep } from "node:timers/promises";
import { onOrphaned } from "./on-orphaned.mjs";

const CLOSE_MS = 5_000;
/** What readers get to take the last events of an answer that has just ended. */
const READ_MS = 1_000;
/** Beyond what the answers get: how they ended is stored. */
const STORE_MS = 1_000;
/** npm passes Ctrl+C on although the terminal has sent it to everybody: the same one arrives twice. */
const SAME_KEYPRESS_MS = 500;

/**
 * Ends the process by itself after SIGTERM or SIGINT: running answers get `runtime().drainMs`, a second Ctrl+C ends it at once.
 *
 * The server goes on listening while answers finish, and for `runtime().noticeMs` at least, so that a balancer notices that
 * it is not ready, readers can reconnect and a person can still answer or stop; the application refuses new runs by then.
 * Each connection ends with its answer: what comes next goes to whoever takes it.
 */
export function endOnSignals({ server, runtime, onExit }) {
  const requests = followRequests(server);
  /** @type {number | null} */
  let since = null;
  const end = async (signal) => {
    if (since !== null) {
      if (Date.now() - since > SAME_KEYPRESS_MS) exit(signal === "SIGINT" ? 130 : 143);
      return;
    }
    since = Date.now();
    const { drainMs, noticeMs } = runtime();
    console.log(`Stopping: running answers get ${drainMs / 1_000} s, press Ctrl+C again to end at once.`);
    requests.closeEach();
    await within(Math.max(drainMs, noticeMs) + STORE_MS, () =>
      Promise.all([runtime().drain(drainMs), sleep(noticeMs)]),
    );
    server.close();
    await within(READ_MS, requests.allAnswered);
    // Who reads what does not end here goes on reading elsewhere.
    requests.cutStreams();
    await within(since + drainMs - Date.now(), requests.allAnswered);
    server.closeAllConnections();
    await within(CLOSE_MS, () => runtime().close());
    exit(0);
  };
  const exit = (code) => {
    onExit();
    process.exit(code);
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  onOrphaned(() => since ?? end("SIGTERM"));
}

/** The requests of a server that are not answered to their end. */
function followRequests(server) {
  /** @type {Set<import("node:http").ServerResponse>} */
  const open = new Set();
  let isClosing = false;
  let onNone = () => {};
  server.prependListener("request", (_, response) => {
    open.add(response);
    if (isClosing) response.shouldKeepAlive = false;
    response.once("close", () => {
      open.delete(response);
      if (open.size === 0) onNone();
    });
  });
  return {
    closeEach() {
      isClosing = true;
      for (const response of open) response.shouldKeepAlive = false;
    },
    /** @returns {Promise<void>} */
    allAnswered: () =>
      new Promise((resolve) => {
        onNone = resolve;
        if (open.size === 0) resolve();
      }),
    cutStreams() {
      for (const response of open)
        if (String(response.getHeader("content-type")).startsWith("text/event-stream")) response.destroy();
    },
  };
}

/** A step that hangs or fails must not keep the process alive. */
async function within(ms, step) {
  let timer;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  await Promise.race([
    Promise.resolve()
      .then(step)
      .catch((error) => console.error(error)),
    deadline,
  ]);
  clearTimeout(timer);
}
