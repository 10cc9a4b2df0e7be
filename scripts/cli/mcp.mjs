import { openInstance, serversReady } from "./instance.mjs";
import { Relay } from "./mcp-relay.mjs";
import { readLines } from "./read-lines.mjs";

/** What is under way may still be answered when nothing more is asked: of a client that has ended nobody reads it. */
const lastAnswersMs = 5_000;

/** Is an MCP server on stdin and stdout: passes messages on to `/mcp` of a Meguri until stdin ends or a signal comes. */
export async function mcp(call) {
  const ended = new AbortController();
  let isConnected = false;
  const end = () => {
    // What we have begun to start ends with us.
    if (!isConnected) process.exit(0);
    ended.abort();
    relay.stop();
  };
  // Who reads is gone.
  process.stdout.on("error", end);
  process.on("SIGINT", end).on("SIGTERM", end).on("SIGHUP", end);
  const relay = new Relay({
    open: async () => {
      const instance = await openInstance(call);
      await serversReady(instance);
      return instance;
    },
    send: (message) => writeLine(JSON.stringify(message)),
    say: (text) => console.error(text),
  });
  // Before the first message: a Meguri that does not start is said while somebody looks.
  await relay.connect();
  isConnected = true;
  try {
    for await (const line of readLines(process.stdin, ended.signal)) await relay.take(line);
    await relay.allAnswered(AbortSignal.any([ended.signal, AbortSignal.timeout(lastAnswersMs)]));
  } finally {
    await relay.close();
  }
  // A stdin that is still open would keep us.
  process.exit(0);
}

/** @returns {Promise<void>} */
function writeLine(line) {
  return new Promise((resolve) => {
    if (process.stdout.destroyed || process.stdout.write(`${line}\n`)) resolve();
    else process.stdout.once("drain", resolve).once("close", resolve);
  });
}
