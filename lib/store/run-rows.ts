import type { DB } from "./schema";
import { RunIterations, RunOptionsData, RunResult, readJson, writeJson } from "./stored-json";
import type { RunRow } from "./types";

export function toRow(record: DB["run"]): RunRow {
  const name = `run ${record.id}`;
  return {
    id: record.id,
    conversationId: record.conversation_id,
    userId: record.user_id,
    messageId: record.message_id,
    parentId: record.parent_id,
    status: record.status,
    model: record.model,
    agent: record.agent,
    continues: record.continues,
    options: readJson(name, record.options, RunOptionsData),
    startedAt: record.started_at,
    endedAt: record.ended_at,
    result: readJson(name, record.result ?? "null", RunResult),
    iterations: readJson(name, record.iterations, RunIterations),
    ...(record.origin !== null && { origin: record.origin }),
    ...(record.token_id !== null && { tokenId: record.token_id }),
    ...(record.call_status !== null && { callStatus: record.call_status }),
    ...(record.held_by !== null && { heldBy: record.held_by }),
  };
}

export const toRecord = (row: RunRow, owner: string | null): DB["run"] => ({
  id: row.id,
  conversation_id: row.conversationId,
  user_id: row.userId,
  message_id: row.messageId,
  parent_id: row.parentId,
  status: row.status,
  model: row.model,
  agent: row.agent,
  continues: row.continues,
  started_at: row.startedAt,
  ended_at: row.endedAt,
  options: writeJson(row.options),
  iterations: writeJson(row.iterations),
  result: writeJson(row.result),
  forked_from: row.options.forkedFrom?.runId ?? null,
  owner_id: owner,
  held_by: null,
  origin: row.origin ?? null,
  started_by: row.options.isImported ? null : (row.options.startedBy?.id ?? null),
  token_id: row.tokenId ?? null,
  call_status: row.callStatus ?? null,
});
