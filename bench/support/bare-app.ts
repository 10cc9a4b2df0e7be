import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port";

const folder = join(import.meta.dirname, "..", "bare");
const next = join(import.meta.dirname, "..", "..", "node_modules", "next", "dist", "bin", "next");
const built = join(folder, ".next", "BUILD_ID");
const sources = [
  "app/composer.jsx",
  "app/layout.jsx",
  "app/page.jsx",
  "app/answer/route.js",
  "next.config.mjs",
];
const longestMs = 60_000;
const pollMs = 50;

/** `bench/bare`: a page of Next with one field and a route that passes a model's answer on, and nothing else. */
export interface BareApp {
  url: string;
  pid: number;
  dispose(): Promise<void>;
}

/** Builds it where it has changed, and starts it in a process of its own. */
export async function startBareApp(modelUrl = ""): Promise<BareApp> {
  const isBuilt =
    existsSync(built) &&
    sources.every((file) => statSync(join(folder, file)).mtimeMs < statSync(built).mtimeMs);
  if (!isBuilt && !(await build())) throw new Error("bench/bare could not be built.");
  const port = await freePort();
  const child = startNext(["start", "-p", String(port), "-H", "127.0.0.1"], modelUrl);
  const url = `http://127.0.0.1:${port}`;
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  const started = performance.now();
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - started > longestMs)
      throw new Error("bench/bare did not start.");
    await wait(pollMs);
  }
  return {
    url,
    pid: child.pid ?? Number.NaN,
    async dispose() {
      process.off("exit", killWithUs);
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function build(): Promise<boolean> {
  const [code] = await once(startNext(["build"]), "exit");
  return code === 0;
}

function startNext(args: readonly string[], modelUrl = ""): ChildProcess {
  return spawn(process.execPath, [next, ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", MODEL_URL: modelUrl },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
