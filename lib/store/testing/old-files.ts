import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@/lib/store/open-store";
import { rowPerEvent } from "@/lib/store/rebuild/copy-log";
import type { LogEvent, MessageRow } from "@/lib/store/types";
import { rewind } from "./rewind";
import { chain, conversation, events, run } from "./rows";
import { tempDir } from "./temp-store";

export const databases = ["meguri.db", "run-log.db"];

/** What `oldFolder` holds. */
export interface Content {
  messages: MessageRow[];
  events: LogEvent[];
}

/** A folder with files that give no page back, as earlier versions have made them. */
export async function oldFolder(): Promise<{ dataDir: string; content: Content }> {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  const content = { messages: chain(["a", "b", "c"]), events: events(1, 600) };
  await store.conversations.create(conversation());
  await store.messages.append("c1", content.messages);
  await store.runs.create(run("r1", { status: "completed" }));
  await store.log.append("r1", content.events, true);
  await store.close();
  for (const file of databases) makeOld(join(dataDir, file));
  return { dataDir, content };
}

export function makeOld(path: string): void {
  const db = new DatabaseSync(path);
  db.exec("pragma journal_mode = delete; pragma auto_vacuum = none; vacuum; pragma journal_mode = wal");
  db.close();
}

/** Gives a log the form with a row for each event, with these runs in place of its own. */
export async function writeOldLog(path: string, runs: Record<string, readonly LogEvent[]>): Promise<void> {
  await rewind(path, "log", rowPerEvent);
  const log = new DatabaseSync(path);
  const add = log.prepare("insert into run_event values (?, ?, ?, ?)");
  log.exec("begin");
  for (const [id, list] of Object.entries(runs))
    for (const { seq, at, data } of list) add.run(id, seq, at, JSON.stringify(data));
  log.exec("commit");
  log.close();
}

/** What a store in this folder reads out now; opens and closes it. */
export async function contentOf(dataDir: string): Promise<Content> {
  const store = await openStore({ dataDir });
  try {
    const leafId = (await store.conversations.get("ann", "c1"))?.leafId ?? "";
    return {
      messages: (await store.messages.branch("c1", leafId)).rows,
      events: await store.log.read("r1", 0, 100_000),
    };
  } finally {
    await store.close();
  }
}
