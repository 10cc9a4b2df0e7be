import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { distDir, root } from "@/bench/support/app";
import { fillStore } from "@/bench/support/fill-store";
import { freePort } from "@/bench/support/free-port";
import { defaultServers } from "@/e2e/support/default-servers";

const rounds = 3;
const conversations = 9_000;
const pollMs = 10;
const longestMs = 60_000;
const token = "a-token-of-the-benchmark";

/** Ms to the first 200. */
export interface Starts {
  /** With an empty data folder. */
  first: number[];
  /** Again. */
  second: number[];
  /** With so many conversations. */
  full: number[];
  conversations: number;
}

/** `npm start` on a finished build until the page answers 200. */
export async function measureStarts(): Promise<Starts> {
  const starts: Starts = { first: [], second: [], full: [], conversations };
  const full = newHome();
  try {
    console.log(`  starts; ${conversations} conversations are written first`);
    await startOnce(full); // its servers are approved, and its tables made
    await fillStore(join(full, "data"), conversations);
    for (let count = 0; count < rounds; count++) {
      const home = newHome();
      try {
        starts.first.push(await startOnce(home));
        starts.second.push(await startOnce(home));
      } finally {
        remove(home);
      }
      starts.full.push(await startOnce(full));
    }
    return starts;
  } finally {
    remove(full);
  }
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  writeFileSync(join(home, "mcp.json"), JSON.stringify(defaultServers(home)));
  return home;
}

const remove = (home: string) => rmSync(home, { recursive: true, force: true, maxRetries: 5 });

async function startOnce(home: string): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn("npm", ["start", "--silent"], {
    cwd: root,
    // Its own group, so that npm's shells end with it.
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      ...{ PORT: String(port), NEXT_DIST_DIR: distDir, LAUNCH_TOKEN: token, LOG_LEVEL: "warn" },
      ...{ DATA_DIR: join(home, "data"), MCP_CONFIG: join(home, "mcp.json"), DEFAULT_MODEL: "demo/demo" },
    },
  });
  const exited = once(child, "exit");
  const killWithUs = () => end(child, "SIGKILL");
  process.once("exit", killWithUs);
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() - started > longestMs)
        throw new Error("`npm start` failed.");
      await wait(pollMs);
    }
    return performance.now() - started;
  } finally {
    end(child, "SIGTERM");
    await exited;
    process.off("exit", killWithUs);
  }
}

function end({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has gone by itself.
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
