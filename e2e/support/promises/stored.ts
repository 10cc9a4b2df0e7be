import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface StoredRun {
  id: string;
  status: string;
  continues: string | null;
  conversationId: string;
  /** Epoch ms. */
  endedAt: number | null;
  /** Messages that this run has added to its conversation, oldest first. */
  roles: string[];
  /** Ids of the calls that they answer. */
  answered: string[];
}

/** What is stored, read past the application with SQL of the checker's own. */
export interface Stored {
  /** Texts of the user messages with this id, in conversations and in queues. */
  textsOf(clientMessageId: string): string[];
  runs: StoredRun[];
}

/** Rows of the records, which both engines have in the same tables. */
export type ReadRows = (statement: string) => Promise<Record<string, unknown>[]>;

/** Those in a data folder. */
export const rowsIn =
  (dataDir: string): ReadRows =>
  async (statement) => {
    const db = new DatabaseSync(join(dataDir, "meguri.db"), { readOnly: true, timeout: 5_000 });
    try {
      return db.prepare(statement).all();
    } finally {
      db.close();
    }
  };

export async function readStored(read: ReadRows): Promise<Stored> {
  const queued = await read("select id, client_message_id as client, body, state from queued_message");
  const messages = inOrder(
    await read(
      "select id, parent_id as parent, run_id as run, role, client_message_id as client, body from message",
    ),
  );
  const texts = messages
    .filter(({ client }) => client !== null)
    .map(({ client, body }) => ({ client, text: textOf(String(body)) }));
  // What a run has been told stands in the conversation under the id that it was queued with.
  for (const { id, client, body, state } of queued) {
    const told = messages.find((message) => message.id === id);
    if (told?.client) continue;
    if (state === "waiting" || told) texts.push({ client, text: textOf(String(told?.body ?? body)) });
  }
  const runs = await read(
    "select id, status, continues, conversation_id as conversation, ended_at as ended from run",
  );
  return {
    textsOf: (id) => texts.flatMap(({ client, text }) => (client === id ? [text] : [])),
    runs: runs.map((row) => ({
      id: String(row.id),
      status: String(row.status),
      continues: row.continues === null ? null : String(row.continues),
      conversationId: String(row.conversation),
      endedAt: row.ended === null ? null : Number(row.ended),
      roles: messages.flatMap(({ run, role }) => (run === row.id ? [String(role)] : [])),
      answered: messages.flatMap(({ run, role, body }) =>
        run === row.id && role === "tool" ? resultsOf(String(body)) : [],
      ),
    })),
  };
}

/** Those that come after others stand behind them. */
function inOrder(messages: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const parentOf = new Map(messages.map(({ id, parent }) => [id, parent]));
  const depths = new Map<unknown, number>();
  for (const { id } of messages) {
    const path: unknown[] = [];
    for (let at: unknown = id; at && !depths.has(at); at = parentOf.get(at)) path.push(at);
    for (const at of path.reverse()) depths.set(at, (depths.get(parentOf.get(at)) ?? 0) + 1);
  }
  const depthOf = ({ id }: Record<string, unknown>) => depths.get(id) ?? 0;
  return messages.toSorted((one, other) => depthOf(one) - depthOf(other));
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
