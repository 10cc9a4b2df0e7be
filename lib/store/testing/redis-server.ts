import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import { freePort } from "./free-port";
import { asNobody } from "./postgres-server";

export interface RedisServer {
  /** With a password. */
  url: string;
  /** A command over a connection of its own. */
  ask(...command: string[]): Promise<unknown>;
  /** Resolves when it can be asked; also after it was ended. */
  start(): Promise<void>;
  /** As its death would end it; nothing is kept. */
  kill(): Promise<void>;
  /** It stays there and answers nothing, until it is killed. */
  freeze(): void;
  close(): Promise<void>;
}

export const redisPassword = "a-password-of-redis";
const startMs = 10_000;

/** A server of our own on a free port, which is not started yet and writes nothing. */
export async function prepareRedis(program: string): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "meguri-redis-"));
  const [command = program, ...flags] = asNobody(folder);
  const port = await freePort();
  const settings = {
    ...{ port, bind: "127.0.0.1", dir: folder, requirepass: redisPassword },
    ...{ save: "", appendonly: "no" },
  };
  const args = [
    ...(command === program ? [] : [...flags, program]),
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ];
  const url = `redis://:${redisPassword}@127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const ask = (...words: string[]) => askRedis(url, words);
  return {
    ...{ url, ask, kill },
    async start() {
      child = spawn(command, args, { cwd: folder, stdio: "ignore" });
      for (const end = performance.now() + startMs; ; await sleep(20)) {
        const cause = await ask("PING").then(
          () => undefined,
          (fault: unknown) => fault,
        );
        if (cause === undefined) return;
        if (child.exitCode !== null || performance.now() > end) throw cause;
      }
    },
    freeze() {
      child?.kill("SIGSTOP");
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function askRedis(url: string, words: readonly string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  try {
    await client.connect();
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}
