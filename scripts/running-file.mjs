import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const checkMs = 2_000;
const fileOf = (dataDir) => join(dataDir, "meguri.server");

/**
 * Says where this process serves the data folder, with its token, to whoever may read that folder's files: `url` is what a
 * browser opens, `origin` where it listens on this machine. Returns what takes it back.
 */
export function writeRunning(dataDir, { url, origin }) {
  const file = fileOf(dataDir);
  const part = `${file}.${process.pid}`;
  const text = JSON.stringify({ pid: process.pid, url, origin });
  writeFileSync(part, text, { mode: 0o600 });
  // A part of that name that was there before keeps its mode.
  chmodSync(part, 0o600);
  renameSync(part, file);
  return () => {
    // Not that of whoever has started since.
    if (readRunning(dataDir)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/**
 * The Meguri that serves the data folder: `{ pid, origin, token, url }`; undefined where none does. Its token goes to no other
 * program: the process has to be alive and ours, and what listens there has to answer as Meguri.
 */
export async function findRunning(dataDir) {
  const running = readRunning(dataDir);
  if (!running || !isOurs(running.pid)) return undefined;
  const answer = await fetch(`${running.origin}/api/health`, { signal: AbortSignal.timeout(checkMs) }).then(
    (response) => response.json(),
    () => undefined,
  );
  if (answer?.status !== "ok") return undefined;
  return { ...running, token: new URL(running.url).searchParams.get("token") ?? "" };
}

/** @returns {{ pid: number, url: string, origin: string } | undefined} */
function readRunning(dataDir) {
  try {
    const { pid, url, origin } = JSON.parse(readFileSync(fileOf(dataDir), "utf8"));
    const isWhole = Number.isInteger(pid) && pid > 0 && URL.canParse(url) && URL.canParse(origin);
    return isWhole ? { pid, url, origin } : undefined;
  } catch {
    return undefined;
  }
}

function isOurs(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
