import type { DB } from "@/lib/store/schema";

/**
 * How a table comes from the embedded database into PostgreSQL. `rows`: row by row. `index`: made again from the messages, as each
 * engine has a form of its own. `engine`: what an engine keeps for itself.
 */
type Way = "rows" | "index" | "engine";

/** Every table, after those that its rows refer to. */
const ways: Record<keyof DB, Way> = {
  schema_version: "engine",
  // Empty since the folder was closed: its rows stand in `event_range`.
  event_journal: "engine",
  // What processes ask each other for; one alone asks nobody.
  run_command: "engine",
  // What one of them does for all.
  lease: "engine",
  account_user: "rows",
  account_session: "rows",
  account_credential: "rows",
  account_verification: "rows",
  account_passkey: "rows",
  account_invitation: "rows",
  account_audit: "rows",
  deleted_person: "rows",
  api_token: "rows",
  usage_day: "rows",
  setting: "rows",
  mcp_approval: "rows",
  document: "rows",
  project: "rows",
  conversation: "rows",
  message: "rows",
  message_place: "index",
  message_grams: "index",
  message_fts: "index",
  run: "rows",
  run_answer: "rows",
  queued_message: "rows",
  gateway_session: "rows",
  hook_delivery: "rows",
  deleted_run: "rows",
  importing_run: "rows",
  import_source: "rows",
  attachment: "rows",
  share: "rows",
  ended_link: "rows",
  assistant: "rows",
  prompt: "rows",
  matrix: "rows",
  matrix_cell: "rows",
  schedule: "rows",
  trigger_key: "rows",
  run_key: "rows",
  event_range: "rows",
  request_content: "rows",
  run_content: "rows",
  wire_record: "rows",
};

export const movedTables: readonly string[] = Object.entries(ways).flatMap(([table, way]) =>
  way === "rows" ? table : [],
);

/** FTS5 keeps its index in tables of its own, which begin with its name. */
export const isKnownTable = (name: string): boolean => name in ways || name.startsWith("message_fts_");
