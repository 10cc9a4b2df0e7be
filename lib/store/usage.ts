import type { UsageKind } from "@/lib/protocol/data";
import type { Engine } from "./engine";
import type { Store } from "./ports";
import type { DB } from "./schema";

/** What the rows of a table are; the bytes of attachments themselves lie elsewhere. */
const kinds: Record<keyof DB, Exclude<UsageKind, "unused">> = {
  conversation: "conversations",
  message: "conversations",
  message_place: "conversations",
  message_grams: "conversations",
  message_fts: "conversations",
  queued_message: "conversations",
  run: "runs",
  run_answer: "runs",
  run_command: "runs",
  run_key: "runs",
  event_range: "runs",
  event_journal: "runs",
  request_content: "runs",
  run_content: "runs",
  wire_record: "wire",
  gateway_session: "runs",
  hook_delivery: "runs",
  deleted_run: "runs",
  importing_run: "runs",
  matrix: "runs",
  matrix_cell: "runs",
  schedule: "other",
  trigger_key: "other",
  import_source: "other",
  attachment: "attachments",
  share: "shares",
  ended_link: "shares",
  assistant: "other",
  project: "other",
  prompt: "other",
  setting: "other",
  mcp_approval: "other",
  document: "other",
  lease: "other",
  account_user: "other",
  account_session: "other",
  account_credential: "other",
  account_verification: "other",
  account_passkey: "other",
  account_invitation: "other",
  account_audit: "other",
  deleted_person: "other",
  api_token: "other",
  usage_day: "other",
  schema_version: "other",
};

/** Those of a newer version are not. */
export const isKnownTable = (name: string): boolean => name in kinds;

/** It reads the whole database: those who ask while it does are told of the same measurement. */
export function openUsage(engine: Pick<Engine, "sizes">): Store["usage"] {
  let underWay: ReturnType<Store["usage"]> | undefined;
  return () => {
    underWay ??= measure(engine).finally(() => (underWay = undefined));
    return underWay;
  };
}

async function measure(engine: Pick<Engine, "sizes">): ReturnType<Store["usage"]> {
  const { tables, unused } = await engine.sizes();
  const usage = { conversations: 0, runs: 0, wire: 0, attachments: 0, shares: 0, other: 0, unused };
  for (const [table, bytes] of Object.entries(tables)) usage[kindOf(table)] += bytes;
  return usage;
}

/** FTS5 keeps its index in tables of its own, which begin with its name. */
function kindOf(table: string): UsageKind {
  const known = table.startsWith("message_fts_") ? "message_fts" : table;
  return known in kinds ? kinds[known as keyof DB] : "other";
}
