import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { distDir, root } from "@/bench/support/app";
import { defaultServers } from "@/e2e/support/default-servers";

const rounds = 3;
const pollMs = 10;
const longestMs = 60_000;
const token = "a-token-of-the-benchmark";

/** `npm start` on a finished build until the page answers 200, in ms: with an empty data folder, and again. */
export async function measureStarts(): Promise<{ first: number[]; second: number[] }> {
  const times = { first: [] as number[], second: [] as number[] };
  for (let count = 0; count < rounds; count++) {
    const home = mkdtempSync(join(tmpdir(), "meguri-bench-"));
    writeFileSync(join(home, "mcp.json"), JSON.stringify(defaultServers(home)));
    try {
      times.first.push(await startOnce(home));
      times.second.push(await startOnce(home));
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return times;
}

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("No free port.");
  return address.port;
}
