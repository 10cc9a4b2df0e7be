import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { placeOf } from "./temp-store";

export interface Writer {
  pid: number;
  /** What it has said until now: "message m1-1", "event a1". */
  said: string[];
  /** Resolves when it has said so many lines that begin with this word. */
  until(word: string, count: number): Promise<void>;
  /** Ends it without a chance to clean up; resolves when it is gone and all it said is read. */
  kill(): Promise<void>;
}

/**
 * Starts a process that has the store open; with a `round` it writes without end. Resolves when the store is open.
 * `script` is the program, a path from this folder.
 */
export async function startWriter(dataDir: string, round = "", script = "writer.ts"): Promise<Writer> {
  const here = import.meta.dirname;
  const flags = [
    "--experimental-transform-types",
    "--no-warnings",
    "--import",
    join(here, "run-typescript.ts"),
  ];
  const { databaseUrl } = await placeOf(dataDir);
  const child: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    [...flags, join(here, script), dataDir, round],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const closed = once(lines, "close");
  const exited = once(child, "exit");
  const said: string[] = [];
  const ready = new Promise<void>((resolve) =>
    lines.on("line", (line) => {
      if (line === "ready") resolve();
      else said.push(line);
    }),
  );
  const until = async (word: string, count: number): Promise<void> => {
    while (said.filter((line) => line.startsWith(word)).length < count)
      await Promise.race([
        once(lines, "line"),
        closed.then(() => Promise.reject(new Error("It has ended."))),
      ]);
  };
  await Promise.race([ready, closed.then(() => Promise.reject(new Error("The writer did not start.")))]);
  return {
    pid: child.pid ?? 0,
    said,
    until,
    async kill() {
      child.kill("SIGKILL");
      await Promise.all([exited, closed]);
    },
  };
}
