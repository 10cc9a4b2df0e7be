import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStore } from "@/lib/store/open-store";
import { rewind } from "@/lib/store/testing/rewind";
import { conversation, message } from "@/lib/store/testing/rows";
import { tempDir } from "@/lib/store/testing/temp-store";

test("an index from before is written anew: each finds what is theirs, in the order that it was in", async () => {
  const dataDir = tempDir();
  const path = join(dataDir, "meguri.db");
  const before = await openStore({ dataDir });
  for (const [at, userId] of ["ann", "ben", "ann", "ann"].entries()) {
    const row = conversation({ id: `c${at}`, userId });
    await before.conversations.create(row);
    const parts = [{ type: "text" as const, text: `the harbour of ${userId}` }];
    const asked = { conversationId: row.id, message: { role: "user" as const, parts }, createdAt: at };
    await before.messages.append(row.id, [message(`m${at}`, null, asked)]);
  }
  await before.close();
  await rewind(path, "records", 30);
  // As the tokens were: of no person.
  const raw = new DatabaseSync(path);
  raw.exec("insert into message_fts (message_fts) values ('delete-all')");
  const places = raw.prepare("select cast(place as text) as place from message_place").all();
  const insert = raw.prepare("insert into message_fts (rowid, grams, heads) values (?, 'u:1 harbour', 'ha')");
  for (const { place } of places) insert.run(BigInt(String(place)));
  // And a place whose message somebody has deleted by hand.
  raw.exec("pragma foreign_keys = off; delete from message where id = 'm3'");
  raw.close();

  const store = await openStore({ dataDir });
  const foundBy = async (userId: string) =>
    (await store.search.messages(userId, "harbour", { limit: 5 })).items.map(({ messageId }) => messageId);
  expect(await foundBy("ann")).toEqual(["m2", "m0"]);
  expect(await foundBy("ben")).toEqual(["m1"]);
  expect(await foundBy("cleo")).toEqual([]);
  await store.close();
});
