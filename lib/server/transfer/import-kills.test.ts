import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { startWriter } from "@/lib/store/testing/start-writer";
import { tempDir } from "@/lib/store/testing/temp-store";
import type { ImportedConversation } from "./imported";
import { placeOf, smallConversations } from "./testing/small-conversations";
import { writeAll } from "./testing/write-all";

/** `npm run kills` asks for 200 of each. */
const rounds = Number(process.env.KILLS ?? 3);
const roundMs = 20_000;
const count = 600;

/** Its messages in their order; undefined when nothing of it is there. */
async function branchOf({ conversations, messages }: Store, { sourceId }: ImportedConversation) {
  const row = await conversations.get("ann", sourceId);
  if (!row) return undefined;
  const { rows } = await messages.branch(sourceId, row.leafId ?? "");
  return rows.map(({ message }) => message);
}

async function found(store: Store, text: string): Promise<number> {
  const { items } = await store.search.messages("ann", text, { limit: 20 });
  return items.length;
}

test(
  "after kill -9 in the middle of an import every conversation is whole or not there, and the same file completes them",
  async () => {
    const file = smallConversations(count);
    for (let round = 1; round <= rounds; round++) {
      const dataDir = tempDir();
      const writer = await startWriter(
        dataDir,
        String(count),
        "../../server/transfer/testing/import-writer.ts",
      );
      await writer.until("imported", 1 + Math.floor(Math.random() * 200));
      await sleep(Math.random() * 30);
      await writer.kill();
      expect(writer.said).not.toContain("done");
      const said = new Set(writer.said.map((line) => line.split(" ")[1]));

      const store = await openStore({ dataDir });
      const here = new Set<string>();
      for (const [number, one] of file.entries()) {
        const branch = await branchOf(store, one);
        if (branch) here.add(one.sourceId);
        else expect(said).not.toContain(one.sourceId);
        const whole = one.messages.map(({ message }) => message);
        expect(branch ?? whole).toEqual(whole);
        expect(await found(store, `${placeOf(number)} word0`)).toBe(branch ? 1 : 0);
      }
      const deps = {
        store,
        files: AttachmentFiles.inFolder(join(dataDir, "attachments"), async () => 1_000_000),
      };
      const outcomes = (await writeAll(deps, "ann", file)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "already_here")).toHaveLength(here.size);
      expect(outcomes.filter((outcome) => outcome === "imported")).toHaveLength(count - here.size);
      const { items } = await store.conversations.list("ann", { limit: 2 * count });
      expect(items).toHaveLength(count);
      await store.close();
    }
  },
  rounds * roundMs,
);
