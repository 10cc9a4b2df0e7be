import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

export interface PostgresServer {
  url(database: string): string;
  /** Ends all its processes at once, as the death of its machine would, and starts it again after so many ms. */
  crash(awayMs?: number): Promise<void>;
  /** The same as who looks after it does: it ends all sessions, and writes what there is to write. */
  restart(awayMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const startMs = 30_000;
const owner = "meguri";

/**
 * A server of our own in a new folder, reached by a socket there. It is gone with all it holds when it is stopped. `isSafe`: its
 * commits survive a power cut, as people have it.
 */
export async function startPostgres(programs: string, isSafe = false): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-pg-"));
  const data = join(folder, "data");
  const [command, ...flags] = asNobody(folder);
  const run = (name: string, args: readonly string[]) =>
    [
      command ?? join(programs, name),
      [...(command ? [...flags, join(programs, name)] : []), ...args],
    ] as const;
  // Not in the order of bytes, as with most databases that people have.
  const locale = ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
  execFileSync(
    ...run("initdb", ["-D", data, "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync", ...locale]),
    // The folder of the tests may be one that nobody else can enter.
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  );
  // A process may be killed, the machine is not: nothing needs to reach the disk. The others are what no session may rely on:
  // what is committed so is lost in a crash, and not only what was committed in the last 200 ms.
  const unsafe = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "wal_writer_delay=10s"];
  const settings = ["listen_addresses=", "max_connections=200", ...(isSafe ? [] : unsafe)];
  const launch = () =>
    spawn(...run("postgres", ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])]), {
      cwd: folder,
      stdio: "ignore",
    });
  let child = launch();
  const url = (database: string) =>
    `postgres:///${database}?user=${owner}&host=${encodeURIComponent(folder)}`;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      // It ends all sessions.
      child.kill("SIGINT");
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const comeBack = async (awayMs = 0, after: "SIGKILL" | "SIGINT" = "SIGKILL") => {
    const exited = once(child, "exit");
    child.kill(after);
    await exited;
    await sleep(awayMs);
    // Sessions end when they notice; until the last one has, none of a new server may begin.
    for (const end = performance.now() + startMs; performance.now() < end; await sleep(50)) {
      child = launch();
      if (
        await untilReady(child, url("postgres")).then(
          () => true,
          () => false,
        )
      )
        return;
    }
    throw new Error(`postgres does not start again after ${after}.`);
  };
  try {
    await untilReady(child, url("postgres"));
  } catch (cause) {
    await stop();
    throw cause;
  }
  return { url, crash: (awayMs) => comeBack(awayMs), restart: (awayMs) => comeBack(awayMs, "SIGINT"), stop };
}

/** PostgreSQL refuses to run as root. Where it is started so, it ends with this process, however that ends. */
export function asNobody(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "nobody"], { encoding: "utf8" }));
  chownSync(folder, idOf("-u"), idOf("-g"));
  return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--pdeathsig=KILL"];
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const end = performance.now() + startMs;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`postgres has ended with exit code ${child.exitCode}.`);
    try {
      return await ask(url, "select 1").then(() => {});
    } catch (cause) {
      if (performance.now() > end) throw cause;
    }
    await sleep(50);
  }
}

/** One statement over a connection of its own. */
export async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Leaves the connection open after it, with what it holds; returns what ends that. */
export async function askAndStay(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  return () => client.end();
}
