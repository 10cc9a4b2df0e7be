import type { AssistantFields } from "@/lib/protocol/assistants";
import type { ProjectFields } from "@/lib/protocol/projects";
import type { PromptFields } from "@/lib/protocol/prompts";
import type { SearchItem } from "@/lib/protocol/search";
import type {
  AssistantRow,
  BodyQuota,
  MatrixCellRow,
  MatrixRow,
  MatrixState,
  MatrixSummary,
  ProjectListRow,
  ProjectRow,
  PromptRow,
  ShareRow,
} from "./kept-types";
import type { AttachmentRow, ConversationOutline, KnownImport, NewImport, PageRequest } from "./types";

/** Which exact form of each MCP server the operator has approved. Names and hashes only. */
export interface McpApprovals {
  all(): Promise<Map<string, string>>;
  set(name: string, hash: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Texts that all instances share, each with a version that grows with every write. */
export interface Documents {
  read(name: string): Promise<{ text: string; version: number } | undefined>;
  /**
   * Puts a text in place of the one with this version, undefined where none is there yet. The new version, or undefined
   * where another text stands there now: then nothing is written. `invalid` for more than 64 MB.
   */
  write(name: string, text: string, version: number | undefined): Promise<number | undefined>;
  /** Nothing happens when there is none. */
  delete(name: string): Promise<void>;
  /** Of those that are there: the cheap way to see which have changed. */
  versions(names: readonly string[]): Promise<Map<string, number>>;
  names(prefix: string): Promise<string[]>;
  /** Of all whose names begin so. */
  versionsUnder(prefix: string): Promise<Map<string, number>>;
}

export interface Shares {
  create(row: ShareRow): Promise<void>;
  list(
    userId: string,
    page: PageRequest,
  ): Promise<{ items: Omit<ShareRow, "snapshot">[]; nextCursor: string | null }>;
  get(userId: string, id: string): Promise<ShareRow | undefined>;
  /** That of a deleted conversation counts as revoked. */
  byToken(tokenHash: string): Promise<ShareRow | undefined>;
  /** Whether a link is over of which nothing else is left. */
  hasEnded(tokenHash: string): Promise<boolean>;
  countView(id: string): Promise<void>;
  /** Those of everybody that are not revoked yet; their copies are wiped. */
  revokeAll(at: number): Promise<void>;
  /** What is revoked stays as it is. */
  update(
    id: string,
    patch: Partial<Pick<ShareRow, "snapshot" | "expiresAt" | "revokedAt" | "title" | "policy">>,
  ): Promise<void>;
}

/** Key and JSON value, by owner. */
export interface Settings {
  get<Value>(userId: string, key: string): Promise<Value | undefined>;
  /** The same past what this process has in memory: another one may have changed it a moment ago. */
  reread<Value>(userId: string, key: string): Promise<Value | undefined>;
  set(userId: string, key: string, value: unknown): Promise<void>;
  /**
   * Reads, changes and writes in one transaction, so that no change of somebody else is lost. Nothing is written when
   * `change` throws or returns undefined.
   */
  update<Value, Next extends Value | undefined>(
    userId: string,
    key: string,
    change: (value: Value | undefined) => Next,
  ): Promise<Next>;
  /** The same for several keys, all or none; null deletes. */
  updateAll<Value>(
    userId: string,
    keys: readonly string[],
    change: (values: ReadonlyMap<string, Value>) => ReadonlyMap<string, Value | null>,
  ): Promise<void>;
  /** Nothing happens when there is none. */
  delete(userId: string, key: string): Promise<void>;
  /** Who has a value under this key. */
  owners(key: string): Promise<string[]>;
}

export interface Attachments {
  /**
   * False, and nothing is added, when all files of this user would then have more bytes together; those of deleted
   * conversations do not count.
   */
  add(row: AttachmentRow, maxBytes: number): Promise<boolean>;
  get(userId: string, id: string): Promise<AttachmentRow | undefined>;
  /** Those of a conversation go with it. */
  idsOf(conversationId: string): Promise<string[]>;
  /** The files of a project, in no order. */
  ofProject(projectId: string): Promise<AttachmentRow[]>;
  /** Everything there is, for clearing the folder. */
  allIds(): Promise<Set<string>>;
  /** Of all files of this user together; those of deleted conversations do not count. */
  bytesOf(userId: string): Promise<number>;
  /** How many no message and no project has taken up yet. */
  countLoose(userId: string): Promise<number>;
  /** Deletes what nothing has taken up and is older; gives their ids. */
  deleteLoose(before: number): Promise<string[]>;
}

/** Conversations that come out of files. */
export interface Imports {
  /** What is here of the conversation that a file calls so; one that was exported here may be here without an import. */
  find(userId: string, source: string, sourceId: string): Promise<KnownImport | undefined>;
  /** Those of these ids that something has already: a conversation, a run, a file, or a request of this user. */
  taken(userId: string, ids: readonly string[]): Promise<Set<string>>;
  /**
   * All of them or nothing, in one durable transaction; logs are written before it, and deleted when it fails or a crash comes
   * between. False, and nothing is written, when all files of a user would then have more than `maxBytes` together.
   * `conflict` when what one extends has changed since it was found.
   */
  write(rows: readonly NewImport[], maxBytes: number): Promise<boolean>;
}

export interface Assistants {
  /** False, and nothing is added, when this user would then have more than `quota`. */
  add(row: AssistantRow, quota: BodyQuota): Promise<boolean>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<{ items: AssistantRow[]; nextCursor: string | null }>;
  get(userId: string, id: string): Promise<AssistantRow | undefined>;
  /**
   * Reads, changes and writes in one transaction; false, and nothing is written, when all together would then have more
   * bytes than `quota`. `not_found` without such an id.
   */
  update(
    userId: string,
    id: string,
    change: (fields: AssistantFields) => AssistantFields,
    quota: BodyQuota,
  ): Promise<boolean>;
  /** Whether there was one. */
  delete(userId: string, id: string): Promise<boolean>;
}

/** As assistants are kept. */
export interface Prompts {
  add(row: PromptRow, quota: BodyQuota): Promise<boolean>;
  /** Newest first; with `name`, those that have it in their name. */
  list(
    userId: string,
    page: PageRequest & { name?: string },
  ): Promise<{ items: PromptRow[]; nextCursor: string | null }>;
  get(userId: string, id: string): Promise<PromptRow | undefined>;
  update(
    userId: string,
    id: string,
    change: (fields: PromptFields) => PromptFields,
    quota: BodyQuota,
  ): Promise<boolean>;
  delete(userId: string, id: string): Promise<boolean>;
}

export interface Projects {
  /** False, and nothing is added, when this user would then have more than `quota`. Takes its files as `update` does. */
  add(row: ProjectRow, quota: BodyQuota): Promise<boolean>;
  /** Newest first. */
  list(userId: string, page: PageRequest): Promise<{ items: ProjectListRow[]; nextCursor: string | null }>;
  get(userId: string, id: string): Promise<ProjectRow | undefined>;
  /** The same with its counts. */
  getCounted(userId: string, id: string): Promise<ProjectListRow | undefined>;
  /**
   * Reads, changes and writes in one transaction; false, and nothing is written, when all together would then have more
   * bytes than `quota`. Its files are those that it names from now on: each must be its own or nobody's, the rows of others
   * that it had are deleted, and their ids given. `not_found` without such a project or file.
   */
  update(
    userId: string,
    id: string,
    change: (fields: ProjectFields) => ProjectFields,
    quota: BodyQuota,
  ): Promise<{ dropped: string[] } | false>;
  /**
   * Its conversations stay, in no project, or there must be none: false then, and nothing is deleted. Gives the ids of its
   * files, whose rows go with it. `not_found` without such an id.
   */
  delete(userId: string, id: string, conversations: "keep" | "none"): Promise<{ dropped: string[] } | false>;
}

/** Answers of several models to several recorded questions. What became of a cell is said by the runs of its answer. */
export interface Matrices {
  /**
   * False, and nothing is added, when `open` of this user go on already. Of those that have ended the oldest are deleted, so
   * that at most `kept` stay with this one; their runs stay.
   */
  add(row: MatrixRow, most: { open: number; kept: number }): Promise<boolean>;
  get(userId: string, id: string): Promise<MatrixRow | undefined>;
  /** The same for whoever owns it. */
  find(id: string): Promise<MatrixRow | undefined>;
  /** Those in which one of these runs is a recording, newest first; at most `most`. */
  ofRecording(userId: string, runIds: readonly string[], most: number): Promise<MatrixSummary[]>;
  /** Of everybody, those in one of these states, oldest first; without what cannot be read. */
  inState(states: readonly MatrixState[]): Promise<MatrixRow[]>;
  /** The same, with what cannot be read. */
  idsInState(states: readonly MatrixState[]): Promise<string[]>;
  /** False, and nothing is changed, when it has been stopped. Opens one that has ended. */
  setBudget(id: string, budget: MatrixRow["budget"]): Promise<boolean>;
  /** False when it is in none of the states `from`. */
  setState(id: string, from: readonly MatrixState[], to: MatrixState): Promise<boolean>;
  /** Keeps why a cell cannot begin, unless it has begun. */
  refuse(id: string, position: number, error: NonNullable<MatrixCellRow["error"]>): Promise<void>;
}

/** What an export reads: everything of a conversation by its ids, so that the rows themselves are read one by one. */
export interface Outlines {
  /** Of one moment: what is added afterwards is not in it. Undefined without such a conversation. */
  of(userId: string, id: string): Promise<ConversationOutline | undefined>;
  /** All there are, the archived ones too, or those of these ids; changed last first. */
  all(userId: string, ids?: readonly string[]): Promise<{ id: string; title: string; updatedAt: number }[]>;
  /** The attached files of these conversations together. */
  files(userId: string, ids: readonly string[]): Promise<{ count: number; bytes: number }>;
}

/** What is absent is not asked for. */
export interface SearchFilter {
  conversationId?: string | undefined;
  projectId?: string | undefined;
  role?: SearchItem["role"] | undefined;
  /** True: in archived conversations, false: in all others. */
  archived?: boolean | undefined;
}

export type FoundMessage = Omit<SearchItem, "at"> & { createdAt: number };

export interface Search {
  /**
   * Messages that have all words of `text`, the newest first; none where it has no letter and no digit. What is stored is
   * found from then on, and nothing of what is deleted.
   */
  messages(
    userId: string,
    text: string,
    page: PageRequest & SearchFilter,
  ): Promise<{ items: FoundMessage[]; nextCursor: string | null }>;
}

/** The session of an MCP client: whoever has its row serves any request of it. */
/** What a client has asked for in its session. */
export interface GatewayWishes {
  /** Qualified names of tools that it has searched for and found. */
  found?: readonly string[];
  /** Addresses of resources whose changes it is told of. */
  watched?: readonly string[];
  /** The least grave level of what it is told of the logs of servers; without it of nothing. */
  logLevel?: string;
}

export interface GatewaySessionRow extends GatewayWishes {
  /** What the client sends with each request. */
  id: string;
  userId: string;
  /** The API token that it came with; null for the launch token. */
  tokenId: string | null;
  /** As it calls itself. */
  client: { name: string; version: string; title?: string };
  /** The revision of MCP that was agreed on. */
  protocol: string;
  /** What the client can do, as it says. */
  capabilities: Record<string, unknown>;
  /** That of its calls; null before the first one. */
  conversationId: string | null;
  createdAt: number;
  lastSeenAt: number;
}

/** One that was asked for. */
export interface FoundGatewaySession extends GatewaySessionRow {
  /** Whether a run of its calls waits for a person; told with it, as each call needs to know and mostly there is none. */
  hasWaiting: boolean;
}

export interface GatewaySessions {
  /** Of more than `most` of this person those that have not been used for longest go. */
  add(row: GatewaySessionRow, most: number): Promise<void>;
  get(id: string): Promise<FoundGatewaySession | undefined>;
  noteUsed(id: string, at: number): Promise<void>;
  /** Of those who change the same at once each changes what the other has left. */
  change(id: string, change: (wishes: GatewayWishes) => GatewayWishes): Promise<void>;
  /** Where its calls are from now on; false, and nothing is changed, when they are not in `from` any more. */
  setConversation(id: string, from: string | null, to: string): Promise<boolean>;
  /** Whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Those that were used last before this time. */
  deleteUnused(before: number): Promise<void>;
}
