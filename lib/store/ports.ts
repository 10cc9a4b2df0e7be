import type { UsageKind } from "@/lib/protocol/data";
import type { CallCount, GatewayCall } from "@/lib/protocol/gateway";
import type { QueuedWhen, RunKind, RunStatus } from "@/lib/protocol/http";
import type { UserMessage } from "@/lib/protocol/message";
import type { Usage } from "@/lib/protocol/usage";
import type { Accounts, Audit, DeletedPeople, Invitations, Passkeys, UsageDays } from "./account-ports";
import type { Blobs } from "./blob-ports";
import type { Bus } from "./bus";
import type { Commands } from "./command-ports";
import type { Conversations } from "./conversation-ports";
import type { Members, SessionCount } from "./engine";
import type { HookDeliveries } from "./hook-ports";
import type {
  Assistants,
  Attachments,
  Documents,
  GatewaySessions,
  Imports,
  Matrices,
  McpApprovals,
  Outlines,
  Projects,
  Prompts,
  Search,
  Settings,
  Shares,
} from "./kept-ports";
import type { Leases } from "./leases";
import type { NewQueued, QueuedRow } from "./queue-types";
import type { Schedules } from "./schedule-ports";
import type { ApiTokens } from "./token-ports";
import type {
  AnswerChunk,
  LogEvent,
  MessageRow,
  PageRequest,
  RunEnd,
  RunRow,
  RunStart,
  Tail,
  TailPlace,
} from "./types";

/**
 * Everything that lasts. One schema and one set of queries; the engine is chosen where the store is opened. Times are
 * epoch ms. Failures are StoreErrors: `not_found` for a row that another one needs, `duplicate` for an id that exists,
 * `conflict` for a condition that no longer holds because somebody else was first, `broken_row` for a row that cannot be
 * read, and what the disk says.
 */
export interface Store {
  members: Members;
  bus: Bus;
  conversations: Conversations;
  messages: Messages;
  runs: Runs;
  /** Undefined where one process has the database for itself. */
  commands: Commands | undefined;
  leases: Leases;
  log: RunLog;
  approvals: McpApprovals;
  documents: Documents;
  shares: Shares;
  settings: Settings;
  attachments: Attachments;
  /** The bytes of attachments; undefined where they lie in a folder. */
  blobs: Blobs | undefined;
  assistants: Assistants;
  prompts: Prompts;
  matrices: Matrices;
  schedules: Schedules;
  gatewaySessions: GatewaySessions;
  hookDeliveries: HookDeliveries;
  projects: Projects;
  queue: MessageQueue;
  outlines: Outlines;
  imports: Imports;
  search: Search;
  accounts: Accounts;
  invitations: Invitations;
  audit: Audit;
  deletedPeople: DeletedPeople;
  tokens: ApiTokens;
  passkeys: Passkeys;
  usageDays: UsageDays;
  /** Bytes of the database by kind, attached files apart. Measured beside everything else. */
  usage(): Promise<Record<UsageKind, number>>;
  /**
   * Deletes everything that people and models have written, finally: nothing of it is left in a file. What stays is how Meguri
   * is set up: settings but instructions, secrets, approvals, people, passkeys, API tokens. A process that dies on the way has the next start go on.
   * Nobody may be writing a log.
   */
  empty(): Promise<void>;
  /**
   * For another secret, in one transaction: of each owner `change` is given the settings whose keys fit, and gives what they
   * become, null for one that goes; links get the hashes of their new tokens, and the former ones are over; every session of an account ends.
   */
  rotate(
    settings: {
      fits(key: string): boolean;
      change(value: unknown, at: { owner: string; key: string }): unknown;
    },
    tokenHashOf: (shareId: string) => string,
  ): Promise<{ links: number }>;
  /** Undefined where statements need none. */
  sessions?: (() => SessionCount) | undefined;
  /** Resolves when the database takes a write; tried at most once in 5 s. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface Messages {
  /**
   * All or none, in one durable transaction; moves the conversation's leaf to the last one and its `updatedAt` along.
   * A parent must be there or come before. A `clientMessageId` that is known already is a `duplicate`.
   */
  append(conversationId: string, rows: readonly MessageRow[]): Promise<void>;
  get(conversationId: string, id: string): Promise<MessageRow | undefined>;
  findByClientId(userId: string, clientMessageId: string): Promise<MessageRow | undefined>;
  /**
   * From the root (or the newest `limit`, ending before `before`, a message of this branch) to `leafId`, oldest first.
   * `not_found` when the conversation has no such message; an unreadable message is an error, never a gap.
   */
  branch(
    conversationId: string,
    leafId: string,
    page?: { limit?: number; before?: string },
  ): Promise<{ rows: MessageRow[]; hasMore: boolean }>;
  /** Those of all branches since a time (epoch ms), the newest `limit` of them, oldest first. */
  newest(conversationId: string, page: { since: number; limit: number }): Promise<MessageRow[]>;
  /** Ids of all messages of a conversation by parent, oldest first; the key of roots is "". */
  children(conversationId: string, parentIds: readonly (string | null)[]): Promise<Map<string, string[]>>;
  /** Whether `id` is `leafId` or stands before it on its branch. */
  isOnBranch(conversationId: string, leafId: string, id: string): Promise<boolean>;
  /** The last message that is reached from `id` by always taking the newest child; `not_found` without such an `id`. */
  newestLeaf(conversationId: string, id: string): Promise<string>;
}

export interface Runs {
  /** `begin` with nothing but the run. */
  create(row: RunRow): Promise<void>;
  /**
   * In one durable transaction: the run and its `start`, all or none. `conflict` when a run is running already where
   * this one or its first message (unless that begins a branch) hangs, when the run it continues is continued already, and when `leaf` or `waited`
   * does not hold. `onCommitted` is called once before it resolves, as soon as it is stored but may still be lost in a power cut.
   */
  begin(row: RunRow, start: RunStart, onCommitted?: () => void): Promise<void>;
  get(userId: string, id: string): Promise<RunRow | undefined>;
  /** Newest first, without rows that cannot be read. `cursor` as in `Conversations.list`. */
  list(
    userId: string,
    page: PageRequest & RunFilter,
  ): Promise<{ items: RunRow[]; nextCursor: string | null }>;
  /** Of the calls of MCP clients since a moment, by client, who has called last first; of the newest `most` runs at most. */
  countCalls(userId: string, since: number, most: number): Promise<{ counts: CallCount[]; isWhole: boolean }>;
  /** Those that were forked from this one into other conversations, oldest first. */
  forksElsewhere(run: Pick<RunRow, "id" | "userId" | "conversationId">): Promise<RunRow[]>;
  /** By run id, for the messages of a page. This and the other lists come oldest first, without rows that cannot be read. */
  many(ids: readonly string[]): Promise<RunRow[]>;
  /** Runs that answer this user message. */
  ofMessage(conversationId: string, messageId: string): Promise<RunRow[]>;
  /** Runs that answer one of these user messages; at most 500 of them. */
  ofMessages(messages: readonly Pick<RunRow, "conversationId" | "messageId">[]): Promise<RunRow[]>;
  /**
   * Running runs of processes that are gone, of deleted conversations too. They belong to this process from then on, and
   * nobody else is given them.
   */
  takeOver(): Promise<RunRow[]>;
  /** The running runs of this process, by their ids. */
  driven(): Promise<string[]>;
  /** Those of a conversation or a person that run, whoever drives them; oldest first. */
  runningOf(of: RunGroup): Promise<RunRow[]>;
  /** Of these runs those that run, by their ids; whoever drives them. */
  stillRunning(ids: readonly string[]): Promise<string[]>;
  /** The process that drives a run, as `Members.id`; undefined when it does not run. */
  ownerOf(id: string): Promise<string | undefined>;
  /** Of `running` those of deleted conversations too. */
  withStatus(status: RunStatus): Promise<RunRow[]>;
  /** What all runs of a conversation have used together. */
  usageOf(conversationId: string): Promise<Usage>;
  /**
   * In one durable transaction: status, result and timeline of the run, its messages, the conversation's `updatedAt`
   * and leaf. With `isHeld` a call of it stays under way in this process. The leaf stays when the person has gone to another branch meanwhile. A second end is a `conflict`, and that of a
   * run of another process.
   */
  finish(
    id: string,
    end: Pick<RunRow, "status" | "iterations"> & {
      endedAt: number;
      result: Omit<RunEnd, "messages">;
      isHeld?: boolean;
    },
    messages: readonly MessageRow[],
  ): Promise<void>;
  /**
   * In one durable transaction: the status, and messages as `Messages.append` stores them. A run that is not in `from` is
   * a `conflict`. Answers of a run that waits no longer are deleted.
   */
  transition(id: string, from: RunStatus, to: RunStatus, messages?: readonly MessageRow[]): Promise<void>;
  /** Those of this conversation that wait, oldest first. */
  waitingIn(conversationId: string): Promise<RunRow[]>;
  /**
   * A call of a program that waits for a person has been made again in this process: what is answered comes here from now on. `conflict`
   * when it waits no more, or was taken up elsewhere meanwhile.
   */
  takeUp(run: Pick<RunRow, "id" | "heldBy">, gateway: GatewayCall): Promise<void>;
  /** Switches step mode; `conflict` when the run neither goes on nor waits. */
  setStep(id: string, isOn: boolean): Promise<void>;
  /**
   * Keeps an answer until the other questions of a waiting run are answered too. `conflict` when it does not wait, or
   * does not have exactly `known` answers so far.
   */
  addAnswer(id: string, answer: AnswerChunk, known: number): Promise<void>;
  /** Those that were kept, oldest first. */
  answers(id: string): Promise<AnswerChunk[]>;
}

export type RunGroup = { conversationId: string } | { userId: string };

/** What is absent is not asked for. */
export interface RunFilter {
  status?: RunStatus | undefined;
  kind?: RunKind | undefined;
  conversationId?: string | undefined;
  /** The schedule or trigger that has begun them. */
  schedule?: string | undefined;
  /** The API token by which they were begun. */
  tokenId?: string | undefined;
}

/** The run log: a separate file beside the records, so that appends never wait for a transaction there. */
export interface RunLog {
  /**
   * On disk (WAL) when it resolves, which is after this turn of the event loop: appends of all runs share a commit.
   * `durable` takes those before it along and also survives a power cut. `duplicate` when a seq exists already, `busy`
   * when too many events wait.
   */
  append(runId: string, events: readonly LogEvent[], durable: boolean): Promise<void>;
  /** The same for one that writes again and again: its events are taken when the commit begins. */
  request(source: LogSource, urgency: Urgency): void;
  /**
   * At most `limit` events after `afterSeq`, in order; with `maxCharacters` fewer when they are as long together, one at
   * least: no more than that is taken into memory.
   */
  read(runId: string, afterSeq: number, limit: number, maxCharacters?: number): Promise<LogEvent[]>;
  /** Of several logs what has come after these numbers, small events alone; for those who wait at their ends. */
  tails(places: readonly TailPlace[]): Promise<Tail[]>;
  /** Number of the last event, 0 when there is none. */
  lastSeq(runId: string): Promise<number>;
  /** The same of several runs, without those that have none. */
  lastSeqs(runIds: readonly string[]): Promise<Map<string, number>>;
  /** Of these contents of requests those that the run names, by hash. */
  contents(runId: string, hashes: readonly string[]): Promise<Map<string, string>>;
  /**
   * Keeps what was recorded of the wire for a turn, in place of what was kept under this name; of a run without a log
   * nothing.
   */
  addWire(runId: string, name: string, pieces: readonly Uint8Array[]): Promise<void>;
  wire(runId: string, name: string): Promise<Uint8Array | undefined>;
  /** With what was recorded of the wire, and with contents of requests that no other run names. */
  delete(runIds: readonly string[]): Promise<void>;
  /** What these logs take, with what was recorded of the wire; without indexes and contents of requests. */
  bytes(runIds: readonly string[]): Promise<number>;
}

/** Has events for the log of its run. Each `take` is followed by `stored` or `failed` before the next. */
export interface LogSource {
  readonly runId: string;
  /** All there are. */
  take(): readonly LogEvent[];
  stored(): void;
  failed(cause: unknown): void;
}

/** `late`: nobody waits or reads along, with the next commit or after 5 ms; `soon`: nobody waits, within 5 ms; `now`: after this turn of the event loop; `durable`: the same, and survives a power cut. */
export type Urgency = "late" | "soon" | "now" | "durable";

/**
 * Messages that people send while an answer is being written, by chain of runs. One is `waiting` until a run takes it; from
 * then on nobody can change it any more.
 */
export interface MessageQueue {
  /**
   * Puts it at the end of what waits. What its owner has sent under the same client id already is found, wherever it is. Its
   * attachments are taken up. Nothing is stored when as many wait as may (`full`), and when no run of the chain runs or
   * waits (`ended`).
   */
  add(queued: NewQueued): Promise<{ id: string } | "full" | "ended">;
  get(userId: string, id: string): Promise<QueuedRow | undefined>;
  byClientId(userId: string, clientMessageId: string): Promise<QueuedRow | undefined>;
  /** Those for the next turn first, each kind in its order. */
  waiting(chainId: string): Promise<QueuedRow[]>;
  /** The chains of a conversation behind which something waits, with the questions that they answer. */
  waitingIn(conversationId: string): Promise<{ chainId: string; messageId: string }[]>;
  /** All chains behind which something waits, or a run of which has taken something. */
  unsettled(): Promise<{ chainId: string; userId: string }[]>;
  /** Runs of the chain that have taken something of which nobody has looked whether their model got it. */
  takers(chainId: string): Promise<string[]>;
  /**
   * False, and nothing is changed, when it does not wait any more. `before` puts it before that one, null at the end;
   * `not_found` when that one does not wait behind the same chain.
   */
  change(
    id: string,
    patch: { message?: UserMessage | undefined; when?: QueuedWhen | undefined; before?: string | null },
  ): Promise<boolean>;
  /** Deletes it; false when it does not wait any more. */
  takeBack(id: string): Promise<boolean>;
  /** Takes all that waits for the next turn of this run, in one statement. */
  claim(chainId: string, runId: string): Promise<QueuedRow[]>;
  /**
   * What became of all that these runs have taken: their logs hold `delivered`, and the rest waits again. Once the chain is
   * over, what no turn has read is to be asked after it, before the others. Gives whether anything waits.
   */
  settle(
    chainId: string,
    end: { runIds: readonly string[]; delivered: readonly string[]; isOver: boolean },
  ): Promise<boolean>;
  /** The run that was begun with a waiting message when this one had ended. */
  askedAfter(runId: string): Promise<string | undefined>;
}
