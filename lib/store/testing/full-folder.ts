import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { chain, conversation, endedLog, events, message, run, share } from "./rows";

/** Of every byte, more than one part. */
export const allBytes = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256);

/** A data folder with rows in every table of the embedded database; what a store cannot be asked for is written by hand. */
export async function fillFolder(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir });
  await write(store);
  await store.close();
  for (const file of ["meguri.db", "run-log.db"]) {
    const db = new DatabaseSync(join(dataDir, file));
    for (const table of tablesIn(db)) if (rowsIn(db, table).length === 0) insertAny(db, table);
    db.close();
  }
}

async function write(store: Store): Promise<void> {
  await store.projects.add(
    { id: "p1", userId: "ann", name: "旅行", instructions: "", files: [], createdAt: 1 },
    { count: 1, bytes: 1_000 },
  );
  await store.conversations.create(conversation({ title: "京都 𠮷野家 🍜", projectId: "p1" }));
  await store.messages.append("c1", [
    ...chain(["q", "a", "b"]),
    message("tea", "b", {
      message: { role: "user", parts: [{ type: "text", text: "抹茶と天気 \u0000 tea" }] },
    }),
  ]);
  await store.runs.create(run("r1", { messageId: "q", parentId: "q" }));
  await store.log.append("r1", endedLog(2_000), true);
  await store.log.addWire("r1", "1", [allBytes]);
  await store.runs.create(run("r2", { status: "completed", messageId: "b", parentId: "b" }));
  await store.log.append("r2", events(1, 3), true);
  await store.shares.create(share("s1"));
  await store.settings.set("ann", "instructions", "いつも \ud800 丁寧に");
  await store.usageDays.add("ann", Date.UTC(2026, 0, 2), {
    inputTokens: 1,
    outputTokens: 2,
    cost: 0.1 + 0.2,
  });
}

/** The tables of a file, without those that FTS5 keeps for itself. */
export const tablesIn = (db: DatabaseSync): string[] =>
  db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'message_fts%'")
    .all()
    .map(({ name }) => String(name));

export const rowsIn = (db: DatabaseSync, table: string) => db.prepare(`select * from "${table}"`).all();

/** A value for each column, whatever it means. */
function insertAny(db: DatabaseSync, table: string): void {
  if (table === "event_journal") return;
  const columns = db.prepare(`select name, type from pragma_table_info('${table}')`).all();
  const known: Record<string, string> = {
    user_id: "ann",
    conversation_id: "c1",
    run_id: "r1",
    project_id: "p1",
    kind: "after",
  };
  const values = columns.map(({ name, type }) => {
    if (table === "account_user" && name === "id") return "ann";
    if (table === "queued_message" && name === "state") return "waiting";
    if (table === "matrix" && name === "state") return "ended";
    if (table === "matrix_cell" && name === "matrix_id") return "any id";
    if (name === "schedule_id") return "any id";
    if (/int/i.test(String(type))) return 1;
    return known[String(name)] ?? `any ${name}`;
  });
  db.prepare(`insert into "${table}" values (${values.map(() => "?").join(", ")})`).run(...values);
}
