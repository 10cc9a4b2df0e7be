import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@/lib/store/open-store";
import type { LogEvent, MessageRow } from "@/lib/store/types";
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

/** What a store in this folder reads out now; opens and closes it. */
export async function contentOf(dataDir: string): Promise<Content> {
  const store = await openStore({ dataDir });
  try {
    const leafId = (await store.conversations.get("ann", "c1"))?.leafId ?? "";
    return {
      messages: (await store.messages.branch("c1", leafId)).rows,
      events: await store.log.read("r1", 0, 10_000),
    };
  } finally {
    await store.close();
  }
}
