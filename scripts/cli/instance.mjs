import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findRunning } from "../running-file.mjs";
import { SetupError } from "../setup-error.mjs";

const meguri = fileURLToPath(new URL("./meguri.mjs", import.meta.url));
/** Of the last words of one that does not start. */
const keptOutput = 4_096;
/** What servers get to start; tools of one that takes longer come later. */
const serversMs = 15_000;

/**
 * A Meguri to ask: the one of `--url`, the one that runs on the data folder, or one of our own, which ends with `close()`, and
 * with this process (`isOwn`). `{ origin, token, call(path, init), close(), isOwn }`; `call` is `fetch` with the token.
 *
 * Throws `SetupError` where there is none and none can be started.
 */
export async function openInstance({ values, folder }) {
  if (values.url !== undefined) return withCall({ ...readRemote(values.url), close: async () => {} });
  const running = await findRunning(folder.dataDir);
  if (running) return withCall({ ...checkToken(running), close: async () => {} });
  return startOwn(folder);
}

/** Does the work with an instance, and closes that. */
export async function withInstance(call, work) {
  const instance = await openInstance(call);
  try {
    return await work(instance);
  } finally {
    await instance.close();
  }
}

function readRemote(url) {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new SetupError(`--url must be a http:// or https:// address, not "${url}".`);
  const token = process.env.MEGURI_TOKEN ?? new URL(url).searchParams.get("token");
  if (!token)
    throw new SetupError(
      "Set MEGURI_TOKEN to an API token of that Meguri (Settings → API tokens, with accounts Settings → Account).",
    );
  return { origin: new URL(url).origin, token };
}

function checkToken(running) {
  if (running.token) return running;
  throw new SetupError(
    `The Meguri on this data folder has accounts: use --url ${running.origin}, and set MEGURI_TOKEN to an API token of yours.`,
  );
}

async function startOwn({ dataDir }) {
  const child = fork(meguri, ["start", "--no-open", "--port", "0", "--data", dataDir], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || "error" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-keptOutput);
    });
  const closed = once(child, "close");
  const isReady = await Promise.race([once(child, "message").then(() => true), closed.then(() => false)]);
  const running = await findRunning(dataDir);
  // Where it did not start, another one may have been quicker.
  if (!running) throw new SetupError(`Meguri did not start:\n${output.trim()}`);
  const close = async () => {
    child.kill("SIGTERM");
    await closed;
  };
  return isReady
    ? withCall({ ...checkToken(running), close, isOwn: true })
    : withCall({ ...checkToken(running), close: async () => {} });
}

function withCall({ origin, token, close, isOwn = false }) {
  const call = (path, init = {}) =>
    fetch(origin + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      // The token goes to nobody else.
      redirect: "error",
    }).catch((error) => {
      if (init.signal?.aborted) throw error;
      const { code, message } = error.cause ?? error;
      throw Object.assign(new SetupError(`Meguri at ${origin} cannot be reached (${message}).`), { code });
    });
  return { origin, token, call, close, isOwn };
}

/** Waits until one that has just started for this command has its tools, or until its local servers have had their time. */
export async function serversReady(instance) {
  if (!instance.isOwn) return;
  const end = Date.now() + serversMs;
  while (Date.now() < end) {
    const { items } = await (await expectOk(await instance.call("/api/mcp/servers"))).json();
    if (!items.some(({ status }) => status === "connecting")) return;
    await sleep(100);
  }
}

/** Sends JSON; fails as `expectOk` does. */
export const postJson = async (instance, path, body) =>
  expectOk(
    await instance.call(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

/** Fails with the sentence of the server and its `status`, unless the answer is a good one. */
export async function expectOk(response) {
  if (response.ok) return response;
  const text = await response.text();
  let message = "";
  try {
    ({ message } = JSON.parse(text).error);
  } catch {
    message = text.slice(0, 500);
  }
  const fault = new SetupError(message || `Meguri answered ${response.status}.`);
  throw Object.assign(fault, { status: response.status });
}
