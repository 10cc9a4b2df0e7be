import type { Generated } from "kysely";
import type { DeliveryEvent, DeliveryState } from "@/lib/protocol/hooks";
import type { QueuedWhen, RunOrigin, RunStatus } from "@/lib/protocol/http";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import type { TapeMisses } from "@/lib/protocol/tape";
import type { AccountTables } from "./account-schema";
import type { MatrixState } from "./kept-types";
import type { QueuedState } from "./queue-types";

/**
 * All tables, for every engine. Portable columns only: ids as text, times as epoch ms, booleans as 0 and 1, JSON as text.
 * With the embedded engine the tables of the log (`run_key` to `wire_record`) are in a separate file and `schema_version` in both.
 */
export interface DB extends AccountTables {
  conversation: ConversationTable;
  message: MessageTable;
  message_place: MessagePlaceTable;
  message_grams: MessageGramsView;
  message_fts: { grams: string; heads: string };
  run: RunTable;
  run_answer: RunAnswerTable;
  /** With PostgreSQL alone. */
  run_command: RunCommandTable;
  queued_message: QueuedMessageTable;
  gateway_session: GatewaySessionTable;
  hook_delivery: HookDeliveryTable;
  deleted_run: { id: string };
  import_source: ImportSourceTable;
  /** `owner_id`: the process that writes its log. */
  importing_run: { id: string; owner_id: string | null };
  run_key: RunKeyTable;
  event_range: EventRangeTable;
  event_journal: EventJournalTable;
  request_content: RequestContentTable;
  run_content: RunContentTable;
  wire_record: WireRecordTable;
  mcp_approval: { owner_id: string; name: string; hash: string };
  document: DocumentTable;
  lease: LeaseTable;
  share: ShareTable;
  /** Links that are over although nothing else of them is left. */
  ended_link: { token_hash: string };
  setting: { user_id: string; key: string; value: string };
  attachment: AttachmentTable;
  assistant: AssistantTable;
  project: ProjectTable;
  prompt: PromptTable;
  schedule: ScheduleTable;
  trigger_key: { schedule_id: string; key_hash: string; run_id: string; at: number };
  matrix: MatrixTable;
  matrix_cell: MatrixCellTable;
  /** Null in rows from before it was kept: programs of that version alone. */
  schema_version: { version: number; compatible_from: number | null };
}

export type Bit = 0 | 1;

interface ConversationTable {
  id: string;
  user_id: string;
  title: string;
  leaf_id: string | null;
  pinned: Bit;
  /** JSON. */
  choice: string | null;
  project_id: string | null;
  created_at: number;
  updated_at: number;
  archived_at: number | null;
  /** Only `shown.ts` asks for it: what is deleted is hidden there. */
  deleted_at: number | null;
  /** 1 where it came as a run, to be looked at. */
  read_only: 1 | null;
  /** Where it holds what another program has begun; only `shown.ts` asks for it, as no list has it then. */
  origin: RunOrigin | null;
}

interface MessageTable {
  conversation_id: string;
  id: string;
  /** The conversation's; here for the unique (user, client message id). */
  user_id: string;
  parent_id: string | null;
  role: ChatMessage["role"];
  run_id: string | null;
  model: string | null;
  client_message_id: string | null;
  created_at: number;
  /** JSON of the message without its role: `{"parts":[…]}`, `{"results":[…]}` or `{"text":…,"keep":…}`. Last, so that walks along parents stay on the first page. */
  body: string;
}

/** Where a message stands in the full-text index: the later it was stored, the greater. */
interface MessagePlaceTable {
  place: number;
  conversation_id: string;
  message_id: string;
  /** What can be found of it, where its body is large. */
  excerpt: string | null;
}

/** What is inserted here goes into `message_place` and into the index, which has another form in each engine. */
interface MessageGramsView {
  conversation_id: string;
  message_id: string;
  created_at: number;
  excerpt: string | null;
  /** Tokens with spaces in between. */
  grams: string;
  heads: string;
}

interface RunTable {
  id: string;
  conversation_id: string;
  user_id: string;
  message_id: string;
  parent_id: string;
  status: RunStatus;
  model: string;
  agent: string | null;
  continues: string | null;
  started_at: number;
  ended_at: number | null;
  options: string;
  iterations: string;
  result: string | null;
  /** The run that it was forked from. */
  forked_from: string | null;
  /** The process that drives it, as long as it runs; null for one of an earlier version. */
  owner_id: string | null;
  /** Of a run that waits: the process in which a call of it is under way. */
  held_by: string | null;
  /** Null for what people ask. */
  origin: RunOrigin | null;
  /** The schedule or trigger that has begun it. */
  started_by: string | null;
  /** The API token by which a program has begun it; null for the launch token, and for what people ask. */
  token_id: string | null;
  /** How the one call of an MCP client ended; null before it has, and for all else. */
  call_status: ToolResult["status"] | null;
}

/** Of an MCP client. */
interface GatewaySessionTable {
  id: string;
  user_id: string;
  /** The API token that it came with; null for the launch token. */
  token_id: string | null;
  /** JSON: what the client says of itself. */
  body: string;
  /** That of its calls; null before the first one. */
  conversation_id: string | null;
  created_at: number;
  last_seen_at: number;
}

/** One of what a hook is told; the hook itself is in a setting of its person. */
interface HookDeliveryTable {
  /** The `webhook-id`. */
  id: string;
  user_id: string;
  hook_id: string;
  event: DeliveryEvent;
  /** Both null for a test. */
  run_id: string | null;
  conversation_id: string | null;
  state: DeliveryState;
  created_at: number;
  attempts: number;
  /** Null when it is over. */
  next_at: number | null;
  /** JSON: how the last attempt has ended. */
  last: string | null;
}

/** Answers to questions of a run that waits for others. */
interface RunAnswerTable {
  run_id: string;
  request_id: string;
  /** JSON. */
  body: string;
  at: number;
}

/** Messages that people have sent into a chain of runs, and that the model has not got yet; later only who they were. */
interface QueuedMessageTable {
  id: string;
  conversation_id: string;
  user_id: string;
  /** The first run of the chain. */
  chain_id: string;
  client_message_id: string;
  kind: QueuedWhen;
  state: QueuedState;
  /** Among those that wait behind the same chain; below zero before all others. */
  position: number;
  /** The run that has taken it, or that answers it. */
  run_id: string | null;
  /** The run after whose end it was asked. */
  follows: string | null;
  created_at: number;
  /** JSON of the message without its role. */
  body: string;
}

/** The log's own number of a run: its id would be longer than most events. */
interface RunKeyTable {
  run: Generated<number>;
  run_id: string;
}

/** Events `first` to `last` of a run, in the form of `event-range.ts`; `at` is when the first was written. */
interface EventRangeTable {
  run: number;
  first: number;
  last: number;
  at: number;
  data: string;
  /** In place of `data`, in the form of `packed-range.ts`. */
  packed: Uint8Array | null;
}

/** Rows that do not stand in `event_range` yet, and before them some that do; `id` grows with each. */
interface EventJournalTable {
  id: number;
  run: number;
  first: number;
  last: number;
  at: number;
  data: string;
}

/** What models were sent: system prompts, and lists of tools as JSON. */
interface RequestContentTable {
  /** Of the body. */
  hash: string;
  body: string;
}

/** Which runs name a content. */
interface RunContentTable {
  run: number;
  hash: string;
}

/** What went over the wire for a turn that was recorded. */
interface WireRecordTable {
  run: number;
  /** By which the chunk `request` of the turn names it. */
  name: string;
  /** In the form of `packed-wire.ts`. */
  body: Uint8Array;
}

/** What one process asks of another that drives a run. */
interface RunCommandTable {
  id: string;
  run_id: string;
  /** Whoever drove the run when it was given. */
  owner_id: string;
  /** The process that is told when it is done. */
  asker_id: string;
  kind: string;
  /** JSON. */
  body: string;
  at: number;
  done_at: number | null;
  /** JSON; null until it is done. */
  outcome: string | null;
}

/** In PostgreSQL alone. */
interface LeaseTable {
  name: string;
  /** A process: the id of its row in `instance`, which no migration makes. */
  owner: string;
  until: Date;
}

interface DocumentTable {
  name: string;
  text: string;
  version: number;
  changed_at: number;
}

interface ShareTable {
  id: string;
  user_id: string;
  conversation_id: string;
  token_hash: string;
  title: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  views: Generated<number>;
  snapshot: string;
  /** JSON; null: the copy is made of everything. */
  policy: string | null;
}

interface AttachmentTable {
  id: string;
  user_id: string;
  conversation_id: string | null;
  /** Of its files; null for those of a message. */
  project_id: string | null;
  name: string;
  media_type: string;
  size: number;
  characters: number | null;
  created_at: number;
}

interface AssistantTable {
  id: string;
  user_id: string;
  /** JSON. */
  body: string;
  /** Of the body, in UTF-8. */
  bytes: number;
  created_at: number;
}

interface ProjectTable {
  id: string;
  user_id: string;
  /** JSON. */
  body: string;
  /** Of the body, in UTF-8. */
  bytes: number;
  created_at: number;
}

/** Which conversation of a file has become which of ours. */
interface ImportSourceTable {
  user_id: string;
  source: string;
  source_id: string;
  conversation_id: string;
  /** Of its messages as the file had them. */
  hash: string;
  imported_at: number;
}

interface ScheduleTable {
  id: string;
  user_id: string;
  /** Of a trigger. */
  token_hash: string | null;
  /** JSON. */
  body: string;
  /** Null for one that is off, and for a trigger. */
  next_at: number | null;
  last_run_id: string | null;
  /** JSON. */
  note: string | null;
  created_at: number;
}

interface MatrixTable {
  id: string;
  user_id: string;
  tape: TapeMisses;
  /** JSON. */
  budget: string;
  /** 1: models without a price go on under a budget of money. */
  unpriced: Bit;
  state: MatrixState;
  created_at: number;
}

interface MatrixCellTable {
  matrix_id: string;
  /** Cells of one recording stand together, in the order of the models. */
  position: number;
  /** The recorded one. */
  run_id: string;
  model: string;
  /** The first run of its answer. */
  result: string | null;
  /** JSON: why it could not begin. */
  error: string | null;
}

interface PromptTable {
  id: string;
  user_id: string;
  /** JSON. */
  body: string;
  /** Of the body, in UTF-8. */
  bytes: number;
  created_at: number;
}
