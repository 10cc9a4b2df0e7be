import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface StoredRun {
  id: string;
  status: string;
  continues: string | null;
  conversationId: string;
  /** Messages that this run has added to its conversation, oldest first. */
  roles: string[];
  /** Ids of the calls that they answer. */
  answered: string[];
}

/** What lies in a data folder, read past the application with SQL of the checker's own. */
export interface Stored {
  /** Texts of the user messages with this id, in conversations and in queues. */
  textsOf(clientMessageId: string): string[];
  runs: StoredRun[];
}

export function readStored(dataDir: string): Stored {
  const db = new DatabaseSync(join(dataDir, "meguri.db"), { readOnly: true, timeout: 5_000 });
  try {
    const said = db.prepare("select id, client_message_id as client, body from message").all();
    const queued = db
      .prepare("select id, client_message_id as client, body, state from queued_message")
      .all();
    const texts = said
      .filter(({ client }) => client !== null)
      .map(({ client, body }) => ({ client, text: textOf(String(body)) }));
    // What a run has been told stands in the conversation under the id that it was queued with.
    for (const { id, client, body, state } of queued) {
      const told = said.find((message) => message.id === id);
      if (told?.client) continue;
      if (state === "waiting" || told) texts.push({ client, text: textOf(String(told?.body ?? body)) });
    }
    const messages = db.prepare("select run_id as run, role, body from message order by rowid").all();
    const runs = db
      .prepare("select id, status, continues, conversation_id as conversation from run order by rowid")
      .all()
      .map((row) => ({
        id: String(row.id),
        status: String(row.status),
        continues: row.continues === null ? null : String(row.continues),
        conversationId: String(row.conversation),
        roles: messages.flatMap(({ run, role }) => (run === row.id ? [String(role)] : [])),
        answered: messages.flatMap(({ run, role, body }) =>
          run === row.id && role === "tool" ? resultsOf(String(body)) : [],
        ),
      }));
    return {
      textsOf: (id) => texts.flatMap(({ client, text }) => (client === id ? [text] : [])),
      runs,
    };
  } finally {
    db.close();
  }
}

function textOf(body: string): string {
  const { parts = [] } = JSON.parse(body) as { parts?: { type: string; text?: string }[] };
  return parts.map(({ text = "" }) => text).join("");
}

const resultsOf = (body: string): string[] =>
  (JSON.parse(body) as { results?: { id: string }[] }).results?.map(({ id }) => id) ?? [];

/** Files below the folder that hold one of these texts. */
export function filesWith(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return texts.some((text) => bytes.includes(text));
    });
}
