import { expect, test } from "vitest";
import { openStore } from "./open-store";
import { gatheredRunOf, maxGathered, runsOf } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { placeOf, tempDir } from "./testing/temp-store";

/** More of them with `KILLS=200`. */
const rounds = Number(process.env.KILLS ?? 10);
const roundMs = 20_000;

test(
  "after kill -9 at any moment, every acknowledged message and event is there once",
  async () => {
    const dataDir = tempDir();
    const acknowledged: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const writer = await startWriter(dataDir, String(round));
      await writer.until("message", 1 + Math.floor(Math.random() * 20));
      await writer.kill();
      const said = writer.said.map((line) => line.split(" ") as [string, string]);
      acknowledged.push(...said.flatMap(([kind, id]) => (kind === "message" ? [id] : [])));

      const store = await openStore(await placeOf(dataDir));
      const leafId = (await store.conversations.get("ann", "c1"))?.leafId;
      const { rows } = leafId ? await store.messages.branch("c1", leafId) : { rows: [] };
      const stored = rows.map(({ id }) => id);
      const logs = await Promise.all(
        [...runsOf(round), gatheredRunOf(round)].map(async (run) => ({
          mayBeMore: run === gatheredRunOf(round) ? maxGathered : 1,
          said: said.filter(([kind, id]) => kind === "event" && id === run).length,
          seqs: (await store.log.read(run, 0, 100_000)).map(({ seq }) => seq),
        })),
      );
      await store.close();

      // What was stored but killed before it was said is at most one commit of each writer.
      expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(stored.length - acknowledged.length).toBeLessThanOrEqual(1);
      acknowledged.splice(0, acknowledged.length, ...stored);
      for (const { said: count, seqs, mayBeMore } of logs) {
        expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
        expect(seqs.length).toBeGreaterThanOrEqual(count);
        expect(seqs.length).toBeLessThanOrEqual(count + mayBeMore);
      }
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds);
  },
  rounds * roundMs,
);
