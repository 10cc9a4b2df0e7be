import { readPieces } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { NewImport, RunOptions } from "@/lib/store/types";
import { endUnended } from "./end-unended";
import type { ImportDeps } from "./import-conversations";
import { Ids, toConversationRow, toMessageRow, toRunRow } from "./import-rows";
import type { ImportedConversation, ImportedRun } from "./imported";
import { nameContents } from "./own-file";
import { type RunFile, readRunLines } from "./run-lines";
import { BrokenConversation } from "./shape";
import { withFiles } from "./store-files";

/** Of a file, all of which is in memory a few times while it is checked. */
const maxBytes = 32 * 1024 * 1024;
/** How runs are remembered among what was imported. */
const source = "run";
const types = ["application/x-ndjson", "application/jsonl", "application/octet-stream", "application/json"];

export interface ImportedRunIds {
  runId: string;
  conversationId: string;
}

/**
 * Stores the run of a file in a conversation of its own, which is only to be looked at: whole, or nothing of it. The same file
 * again gives what is there (`isNew` false).
 */
export async function importRun(
  deps: ImportDeps,
  userId: string,
  request: Request,
): Promise<ImportedRunIds & { isNew: boolean }> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (!type || !types.includes(type))
    throw new HttpError(415, "unsupported_media_type", `Send the file with Content-Type: ${types[0]}.`);
  const { signal, end } = deps.imports.begin(userId);
  try {
    const tooLarge = "The file is too large; the file of a run may have at most 32 MB.";
    const file = await readRunLines(readPieces(request, maxBytes, tooLarge));
    signal.throwIfAborted();
    return await store(deps, userId, file);
  } catch (cause) {
    if (cause instanceof BrokenConversation) throw new HttpError(400, "invalid_file", cause.message);
    throw cause;
  } finally {
    end();
  }
}

async function store(deps: ImportDeps, userId: string, file: RunFile) {
  const { run } = file.header;
  const known = await deps.store.imports.find(userId, source, run.id);
  const here = known?.hash === file.hash ? await runIn(deps, userId, known.conversationId) : undefined;
  if (here) return { ...here, isNew: false };
  const imported = toImported(file);
  const ids = await Ids.find(deps.store, userId, [run.id]);
  const row = toNewImport(imported, userId, file, ids);
  await deps.store.imports.write([row], await deps.files.maxBytesOf(userId));
  return { runId: ids.of(run.id), conversationId: row.conversation.id, isNew: true };
}

async function runIn({ store }: ImportDeps, userId: string, conversationId: string) {
  const { items } = await store.runs.list(userId, { limit: 1, conversationId });
  return items[0] && { runId: items[0].id, conversationId };
}

/** The run as one that was cut short at the end of its log: what that says of its end is then found as after a crash. */
function toImported({ header, events }: RunFile): ImportedConversation {
  const { run, history, conversation } = header;
  const read: ImportedRun = {
    row: {
      ...{ id: run.id, messageId: run.messageId, parentId: run.parentId, model: run.model, agent: run.agent },
      ...{ conversationId: "", userId: "", status: "running", continues: null, endedAt: null, result: null },
      startedAt: Date.parse(run.startedAt),
      options: { ...(run.options as RunOptions), isImported: true },
      iterations: [],
    },
    events: events.map(({ seq, at, data }) => ({ seq, at: Date.parse(at), data })),
  };
  const messages = history.map(({ createdAt, runId, ...message }) => ({
    ...message,
    createdAt: Date.parse(createdAt),
    // Of the runs before only this is here: what was said into one is no question.
    ...(runId !== undefined && message.message.role === "user" && { runId }),
  }));
  const createdAt = messages[0]?.createdAt ?? read.row.startedAt;
  return {
    source: "meguri",
    sourceId: run.id,
    title: conversation.title,
    createdAt,
    updatedAt: events.at(-1) ? Date.parse(events.at(-1)?.at ?? "") : createdAt,
    ...endUnended({ messages, leafId: run.parentId, runs: nameContents([read]) }),
    files: [],
    leftOut: [],
  };
}

/** Under an id of its own: the conversation itself may come with another file. */
function toNewImport(
  imported: ImportedConversation,
  userId: string,
  { header, hash }: RunFile,
  ids: Ids,
): NewImport {
  const conversation = {
    ...toConversationRow(imported, imported.messages, { id: newId(), userId }),
    readOnly: true as const,
  };
  return {
    ...{ source, sourceId: header.run.id, hash, importedAt: Date.now(), conversation, attachments: [] },
    messages: imported.messages.map((message) => ({
      ...toMessageRow(message, conversation, ids),
      message: withFiles(message.message, new Map(), new Map()),
    })),
    runs: (imported.runs ?? []).map((run) => ({ row: toRunRow(run, conversation, ids), events: run.events })),
  };
}
