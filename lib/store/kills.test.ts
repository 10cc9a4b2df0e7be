import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStoreOn } from "./open-store";
import type { Store } from "./ports";
import { endedLog } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { openTempEngine, tempDir } from "./testing/temp-store";

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
      const engine = await openTempEngine(dataDir);
      const store = await openStoreOn(engine, { packer: { delayMs: 0 } });
      for (const [, id = "", length] of stored)
        expect(await readAll(store, id)).toEqual(endedLog(Number(length) - 1));
      await store.close();
    }
  },
  rounds * roundMs,
);
