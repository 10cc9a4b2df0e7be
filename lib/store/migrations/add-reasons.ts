import { type Kysely, sql } from "kysely";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import type { DB } from "@/lib/store/schema";
import type { OldLog } from "./gather-events";
import { oldReason } from "./old-reasons";

/** Keys read at once; what a row holds is read one at a time, as it can be of many megabytes. */
const pageSize = 500;

type Column = "body" | "data" | "snapshot";

/** Only such a row can hold a result that gets a reason. */
const mayHoldOne = (column: Column) =>
  sql<boolean>`(${sql.ref(column)} like '%"status":"error"%'
    or ${sql.ref(column)} like '%"status":"unknown"%' or ${sql.ref(column)} like '%"status":"denied"%')`;

/** The servers of calls, by call id. */
type Servers = Map<ToolCallId, string>;

/** Gives the results in messages and shares the `reason` that was prose before; runs lose theirs in a later migration. */
export async function addReasonsToRecords(db: Kysely<DB>): Promise<void> {
  let after = { conversation_id: "", id: "" };
  for (;;) {
    const rows = await db
      .selectFrom("message")
      .select(["conversation_id", "id", "parent_id"])
      .where("role", "=", "tool")
      .where(mayHoldOne("body"))
      .where(sql<boolean>`(conversation_id, id) > (${after.conversation_id}, ${after.id})`)
      .orderBy("conversation_id")
      .orderBy("id")
      .limit(pageSize)
      .execute();
    for (const { conversation_id, id, parent_id } of rows) {
      after = { conversation_id, id };
      const servers = await serversAskedBy(db, conversation_id, parent_id);
      const body = await bodyOf(db, conversation_id, id);
      const next = rewrite<{ results: ToolResult[] }>(body, ({ results }) => addTo(results, servers));
      if (next === undefined) continue;
      const row = db.updateTable("message").where("conversation_id", "=", conversation_id);
      await row.where("id", "=", id).set({ body: next }).execute();
    }
    if (rows.length < pageSize) break;
  }
  await addToShares(db);
}

/** The message with the calls; other rounds of results may lie between. */
async function serversAskedBy(db: Kysely<DB>, conversation: string, parent: string | null): Promise<Servers> {
  for (let at = parent, step = 0; at !== null && step < 100; step++) {
    const row = await db
      .selectFrom("message")
      .select(["role", "parent_id"])
      .where("conversation_id", "=", conversation)
      .where("id", "=", at)
      .executeTakeFirst();
    if (row?.role === "assistant")
      return serversIn([{ role: row.role, ...parse<object>(await bodyOf(db, conversation, at)) }]);
    if (row?.role !== "tool") break;
    at = row.parent_id;
  }
  return new Map();
}

async function bodyOf(db: Kysely<DB>, conversation: string, id: string): Promise<string> {
  const row = await db
    .selectFrom("message")
    .select("body")
    .where("conversation_id", "=", conversation)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.body;
}

async function addToShares(db: Kysely<DB>): Promise<void> {
  const found = await db.selectFrom("share").select("id").where(mayHoldOne("snapshot")).execute();
  for (const { id } of found) {
    const { snapshot } = await db
      .selectFrom("share")
      .select("snapshot")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const next = rewrite<{ messages?: ChatMessage[] }>(snapshot, ({ messages }) => addToMessages(messages));
    if (next !== undefined)
      await db.updateTable("share").where("id", "=", id).set({ snapshot: next }).execute();
  }
}

interface LoggedChunk {
  type: string;
  result?: ToolResult | { historyDelta?: ChatMessage[] };
}

/** The same for the results in the logs of runs. */
export async function addReasonsToLog(newest: Kysely<DB>): Promise<void> {
  const db = newest as unknown as Kysely<OldLog>;
  let after = { run_id: "", seq: 0 };
  let servers: Servers = new Map();
  for (;;) {
    const rows = await db
      .selectFrom("run_event")
      .select(["run_id", "seq"])
      .where(mayHoldOne("data"))
      .where(sql<boolean>`(run_id, seq) > (${after.run_id}, ${after.seq})`)
      .orderBy("run_id")
      .orderBy("seq")
      .limit(pageSize)
      .execute();
    for (const { run_id, seq } of rows) {
      if (run_id !== after.run_id) servers = await serversOfRun(db, run_id);
      after = { run_id, seq };
      const { data } = await db
        .selectFrom("run_event")
        .select("data")
        .where("run_id", "=", run_id)
        .where("seq", "=", seq)
        .executeTakeFirstOrThrow();
      const next = rewrite<LoggedChunk>(data, ({ type, result }) => {
        if (type === "tool_result") return addTo([result as ToolResult], servers);
        if (type !== "result" || !result || !("historyDelta" in result)) return false;
        return addToMessages(result.historyDelta);
      });
      if (next === undefined) continue;
      const row = db.updateTable("run_event").where("run_id", "=", run_id);
      await row.where("seq", "=", seq).set({ data: next }).execute();
    }
    if (rows.length < pageSize) break;
  }
}

async function serversOfRun(db: Kysely<OldLog>, run: string): Promise<Servers> {
  const rows = db
    .selectFrom("run_event")
    .select("data")
    .where("run_id", "=", run)
    .where("data", "like", '%"type":"tool_call"%')
    .stream();
  const servers: Servers = new Map();
  for await (const { data } of rows) {
    const { type, call } = parse<{ type?: string; call?: unknown }>(data);
    if (type === "tool_call") noteServers(servers, [call]);
  }
  return servers;
}

function serversIn(messages: readonly { role: string; parts?: unknown }[]): Servers {
  const servers: Servers = new Map();
  for (const { role, parts } of messages)
    if (role === "assistant" && Array.isArray(parts)) noteServers(servers, parts);
  return servers;
}

/** What is no call, as in a damaged row, is passed over. */
function noteServers(servers: Servers, parts: readonly unknown[]): void {
  for (const part of parts as ({ id: ToolCallId; server?: unknown } | null | undefined)[])
    if (typeof part?.server === "string") servers.set(part.id, part.server);
}

function addToMessages(messages: readonly ChatMessage[] = []): boolean {
  const servers = serversIn(messages);
  const added = messages.map((message) => message.role === "tool" && addTo(message.results, servers));
  return added.includes(true);
}

/** Whether one of them got a reason. */
function addTo(results: readonly ToolResult[], servers: Servers): boolean {
  const added = results.map((result) => {
    const reason = result.reason ?? oldReason(result, servers.get(result.id));
    if (reason === undefined || reason === result.reason) return false;
    result.reason = reason;
    return true;
  });
  return added.includes(true);
}

/** The row after the change; undefined where there is none. A damaged row stays as it is; reading it is an error. */
function rewrite<Value>(text: string, change: (value: Value) => boolean): string | undefined {
  try {
    const value = JSON.parse(text);
    return change(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

function parse<Value extends object>(text: string): Value | Record<string, never> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
