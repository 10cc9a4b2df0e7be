import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onOrphaned } from "./on-orphaned.mjs";

const KEPT_OUTPUT = 64 * 1024;

/**
 * Runs a program to its end and passes our signals on to it, so that nothing outlives us.
 *
 * Returns `{ code, output }` with the last 64 KB of its output; `show: true` also prints it as it comes, and a text prints
 * it line by line, with that text before each. A program that a signal ended, or that cannot be started, has code 1.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, show?: boolean | string, shell?: boolean }} options
 */
export function run(command, args, { cwd, env = process.env, show = false, shell = false }) {
  const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] });
  const forget = forwardSignals(child);
  let output = "";
  const keep = (data) => {
    output = (output + data).slice(-KEPT_OUTPUT);
    if (show === true) process.stdout.write(data);
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", keep);
    if (typeof show !== "string") continue;
    createInterface({ input: stream }).on("line", (line) => process.stdout.write(`${show}${line}\n`));
  }
  return new Promise((resolve) => {
    child.on("error", (error) => {
      forget();
      resolve({ code: 1, output: error.message });
    });
    child.on("close", (code) => {
      forget();
      resolve({ code: code ?? 1, output });
    });
  });
}

function forwardSignals(child) {
  const forward = (signal) => {
    child.kill(signal);
    process.exitCode = 1;
  };
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  const forgetParent = onOrphaned(() => forward("SIGTERM"));
  return () => {
    forgetParent();
    process.off("SIGINT", forward);
    process.off("SIGTERM", forward);
  };
}

/** Prints `text …`, and how long it took when the work is done. */
export async function withProgress(text, work) {
  const start = Date.now();
  process.stdout.write(`${text} … `);
  try {
    const result = await work();
    process.stdout.write(`done in ${Math.round((Date.now() - start) / 1000)} s\n`);
    return result;
  } catch (error) {
    process.stdout.write("failed\n");
    throw error;
  }
}
