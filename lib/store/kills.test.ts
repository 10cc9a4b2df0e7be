import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStoreOn } from "./open-store";
import type { Store } from "./ports";
import { openSqliteEngine } from "./sqlite-engine";
import { contentOf, oldFolder, writeOldLog } from "./testing/old-files";
import { endedLog } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { tempDir } from "./testing/temp-store";

/** `npm run kills` asks for 200 of each. */
const rounds = Number(process.env.KILLS ?? 3);
const roundMs = 20_000;

async function readAll({ log }: Store, id: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (;;) {
    const page = await log.read(id, all.length, 1000);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

test(
  "after kill -9 while logs are packed, every stored one is there, nothing twice",
  async () => {
    const dataDir = tempDir();
    for (let round = 1; round <= rounds; round++) {
      const writer = await startWriter(dataDir, String(round), "pack-writer.ts");
      await writer.until("log", 1 + Math.floor(Math.random() * 3));
      await sleep(Math.random() * 150);
      await writer.kill();
      const stored = writer.said.map((line) => line.split(" "));
      expect(stored.length).toBeGreaterThan(0);
      const engine = await openSqliteEngine(dataDir);
      const store = await openStoreOn(engine, { packer: { delayMs: 0 } });
      for (const [, id = "", length] of stored)
        expect(await readAll(store, id)).toEqual(endedLog(Number(length) - 1));
      await store.close();
    }
  },
  rounds * roundMs,
);

test(
  "after kill -9 at any moment of an upgrade, the next start goes on and everything is there",
  async () => {
    for (let round = 1; round <= rounds; round++) {
      const { dataDir, content } = await oldFolder();
      content.events = endedLog(20_000);
      await writeOldLog(join(dataDir, "run-log.db"), { r1: content.events });
      await killedStart(dataDir, 300 + Math.random() * 1500);
      expect(await contentOf(dataDir)).toEqual(content);
      expect(await contentOf(dataDir)).toEqual(content);
    }
  },
  rounds * roundMs,
);

/** A start of the store that ends so many ms later, where it has not come to its end before. */
async function killedStart(dataDir: string, ms: number): Promise<void> {
  const testing = join(import.meta.dirname, "testing");
  const flags = ["--experimental-transform-types", "--no-warnings", "--import"];
  const child = spawn(
    process.execPath,
    [...flags, join(testing, "run-typescript.ts"), join(testing, "start-store.ts"), dataDir],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const exited = once(child, "exit");
  await Promise.race([exited, sleep(ms)]);
  child.kill("SIGKILL");
  await exited;
}
