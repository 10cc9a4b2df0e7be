import type {
  ConversationFile,
  FileAttachment,
  FileEvent,
  FileMessage,
  FileRun,
} from "@/lib/protocol/conversation-file";
import { conversationFileVersion } from "@/lib/protocol/conversation-file";
import { withoutEntered } from "@/lib/protocol/redact";
import type { SentRequest } from "@/lib/protocol/sent-request";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { completeLog } from "@/lib/server/loop/stored-run";
import type { AttachmentRow, ConversationOutline, ConversationRow, RunRow } from "@/lib/store/types";
import { base64Of } from "./base64";

export type ExportDeps = Pick<RunDeps, "store" | "runs" | "log"> & {
  files: Pick<AttachmentFiles, "has" | "pieces" | "exports">;
};

/** A conversation as it was when its export began. */
export interface Exported extends ConversationOutline {
  conversation: ConversationRow;
  /** The last event of the runs that had not ended. */
  lastSeqs: ReadonlyMap<string, number>;
}

/** Undefined where there is none (any more). */
export async function openExport(
  { store }: Pick<ExportDeps, "store">,
  userId: string,
  id: string,
): Promise<Exported | undefined> {
  const conversation = await store.conversations.get(userId, id);
  const outline = conversation && (await store.outlines.of(userId, id));
  if (!conversation || !outline) return undefined;
  const lastSeqs = new Map<string, number>();
  for (const run of outline.unended) lastSeqs.set(run.id, await store.log.lastSeq(run.id));
  return { ...outline, conversation, lastSeqs };
}

/** Thrown where a row that was there at the beginning is there no longer. */
export class DeletedMeanwhile extends Error {
  override name = "DeletedMeanwhile";
}

const pageSize = 500;
const pageCharacters = 1_000_000;

/**
 * The conversation as JSON, a row at a time. `bytesOf`: how the bytes of a file go with it, in the JSON or beside it.
 */
export async function* conversationJson(
  deps: ExportDeps,
  exported: Exported,
  bytesOf: (file: AttachmentRow) => AsyncGenerator<string, void> | Pick<FileAttachment, "path">,
): AsyncGenerator<string, void> {
  yield `${JSON.stringify(await headOf(deps, exported), null, 1).slice(0, -2)},\n "messages": [`;
  yield* list(messagesOf(deps, exported));
  yield '],\n "runs": [';
  yield* runsOf(deps, exported);
  yield '],\n "waiting": [';
  yield* list(waitingOf(exported));
  yield '],\n "files": [';
  let isFirst = true;
  for (const row of exported.files) {
    yield isFirst ? "\n  " : ",\n  ";
    isFirst = false;
    yield* fileOf(row, bytesOf(row));
  }
  yield "]\n}\n";
}

/** The bytes of a file in the JSON itself; nothing where they are gone. */
export async function* bytesInside(
  { files }: Pick<ExportDeps, "files">,
  { id }: AttachmentRow,
): AsyncGenerator<string, void> {
  if (await files.has(id)) yield* base64Of(files.pieces(id));
}

type Head = Omit<ConversationFile, "messages" | "runs" | "waiting" | "files">;

async function headOf({ store }: ExportDeps, { conversation }: Exported): Promise<Head> {
  const { projectId, userId, choice } = conversation;
  const project = projectId === null ? undefined : await store.projects.get(userId, projectId);
  // What a person has allowed here is no word of whoever reads the file.
  const { allowReads: _, compared: _compared, allowed: _allowed, ...chosen } = choice ?? {};
  return {
    meguri: "conversation",
    version: conversationFileVersion,
    id: conversation.id,
    title: conversation.title,
    createdAt: toIso(conversation.createdAt),
    updatedAt: toIso(conversation.updatedAt),
    pinned: conversation.pinned,
    archived: conversation.archived,
    project: project?.name ?? null,
    choice: Object.keys(chosen).length > 0 ? chosen : null,
    leafId: conversation.leafId,
  };
}

async function* messagesOf(
  { store }: ExportDeps,
  { conversation, messages }: Exported,
): AsyncGenerator<FileMessage, void> {
  for (const { id } of messages) {
    const row = await store.messages.get(conversation.id, id);
    if (!row) throw new DeletedMeanwhile();
    yield {
      id,
      parentId: row.parentId,
      createdAt: toIso(row.createdAt),
      ...(row.runId !== null && { runId: row.runId }),
      ...(row.model !== null && { model: row.model }),
      ...(row.clientMessageId !== null && { clientMessageId: row.clientMessageId }),
      message: row.message,
    };
  }
}

async function* runsOf(deps: ExportDeps, { conversation, runIds, unended, lastSeqs }: Exported) {
  const open = new Map(unended.map((row) => [row.id, row]));
  const told = new Set<string>();
  let isFirst = true;
  for (const id of runIds) {
    const row = open.get(id) ?? (await deps.store.runs.get(conversation.userId, id));
    if (!row) throw new DeletedMeanwhile();
    const lastSeq = lastSeqs.get(id);
    if (lastSeq === undefined) await completeLog(deps, row);
    yield `${isFirst ? "" : ","}\n  ${JSON.stringify(toRun(row)).slice(0, -1)},"events":[`;
    isFirst = false;
    yield* list(eventsOf(deps, { id, lastSeq, told }));
    yield "]}";
  }
}

const toRun = (row: RunRow): Omit<FileRun, "events"> => {
  // Where it came from is no part of it: a file that was read in is written as it was.
  const { isImported: _, ...options } = row.options;
  return {
    id: row.id,
    messageId: row.messageId,
    parentId: row.parentId,
    status: row.status,
    model: row.model,
    agent: row.agent,
    continues: row.continues,
    startedAt: toIso(row.startedAt),
    endedAt: row.endedAt === null ? null : toIso(row.endedAt),
    options,
    iterations: row.iterations,
    result: row.result && { ...row.result },
  };
};

/** The events of a log as files have them: each content of a request once, where it is first named. */
export async function* eventsOf(
  { store }: Pick<ExportDeps, "store">,
  { id, lastSeq = Number.POSITIVE_INFINITY, told }: LogOfFile,
): AsyncGenerator<FileEvent, void> {
  for (let after = 0; after < lastSeq; ) {
    const page = await store.log.read(id, after, pageSize, pageCharacters);
    for (const { seq, at, data } of page) {
      if (seq > lastSeq) continue;
      const kept = withoutEntered(data);
      const contents = data.type === "request" ? await untold(store, id, data, told) : {};
      yield { seq, at: toIso(at), data: { ...kept, ...contents } };
    }
    const newest = page.at(-1)?.seq;
    if (newest === undefined) return;
    after = newest;
  }
}

interface LogOfFile {
  id: string;
  lastSeq: number | undefined;
  /** Contents of requests that the file has. */
  told: Set<string>;
}

/** Each content is in the file once, where it is first named. */
async function untold(
  { log }: Pick<ExportDeps["store"], "log">,
  runId: string,
  { system, tools }: SentRequest,
  told: Set<string>,
): Promise<Pick<SentRequest, "contents">> {
  const hashes = [system, tools].filter((hash) => hash !== null && !told.has(hash));
  const found = await log.contents(runId, hashes as string[]);
  for (const hash of found.keys()) told.add(hash);
  return found.size > 0 ? { contents: Object.fromEntries(found) } : {};
}

function* waitingOf({ queued }: Exported) {
  for (const { id, when, createdAt, message } of queued)
    yield { id, when, createdAt: toIso(createdAt), message };
}

async function* fileOf(
  { id, name, mediaType, size, createdAt }: AttachmentRow,
  bytes: AsyncGenerator<string, void> | Pick<FileAttachment, "path">,
): AsyncGenerator<string, void> {
  const told: FileAttachment = { id, name, mediaType, size, createdAt: toIso(createdAt) };
  if (!(Symbol.asyncIterator in bytes)) return yield JSON.stringify({ ...told, ...bytes });
  yield JSON.stringify(told).slice(0, -1);
  let isFirst = true;
  for await (const piece of bytes) {
    yield isFirst ? `,"data":"${piece}` : piece;
    isFirst = false;
  }
  yield isFirst ? "}" : '"}';
}

async function* list(values: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string, void> {
  let isFirst = true;
  for await (const value of values) {
    yield `${isFirst ? "" : ","}\n  ${JSON.stringify(value)}`;
    isFirst = false;
  }
}

const toIso = (at: number): string => new Date(at).toISOString();
