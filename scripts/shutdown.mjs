import { onOrphaned } from "./on-orphaned.mjs";

const DRAIN_MS = 30_000;
const CLOSE_MS = 5_000;
/** What readers get to take the last events of an answer that has just ended. */
const READ_MS = 1_000;
/** npm passes Ctrl+C on although the terminal has sent it to everybody: the same one arrives twice. */
const SAME_KEYPRESS_MS = 500;

/**
 * Ends the process by itself after SIGTERM or SIGINT: running answers get 30 s, a second Ctrl+C ends it at once.
 *
 * The server goes on listening while answers finish, so that their readers can reconnect and a person can still
 * answer or stop; the application refuses new runs by then.
 */
export function endOnSignals({ server, runtime, onExit }) {
  /** @type {number | null} */
  let since = null;
  const end = async (signal) => {
    if (since !== null) {
      if (Date.now() - since > SAME_KEYPRESS_MS) exit(signal === "SIGINT" ? 130 : 143);
      return;
    }
    since = Date.now();
    console.log("Stopping: running answers get 30 s, press Ctrl+C again to end at once.");
    await within(DRAIN_MS + 1_000, () => runtime().drain(DRAIN_MS));
    await within(READ_MS, () => closeWhenRead(server));
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

/** Takes no new connection; resolves when the requests that go on are answered. */
function closeWhenRead(server) {
  const { promise, resolve } = Promise.withResolvers();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  server.close(() => {
    clearInterval(idle);
    resolve(undefined);
  });
  return promise;
}

/** A step that hangs or fails must not keep the process alive. */
async function within(ms, step) {
  let timer;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([
    Promise.resolve()
      .then(step)
      .catch((error) => console.error(error)),
    deadline,
  ]);
  clearTimeout(timer);
}
