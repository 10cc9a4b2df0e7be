import type { LeftOut, LeftOutKind } from "@/lib/protocol/imports";
import { attachmentsFull, type FileDeps } from "@/lib/server/attachments/attachments";
import type { AttachmentRow, ConversationRow, NewImport } from "@/lib/store/types";
import { Ids, toConversationRow, toMessageRow, toRunRow, withContextHere } from "./import-rows";
import type { ImportedConversation, ImportedMessage, ImportedRun } from "./imported";
import { placeInProject } from "./place-in-project";
import { type ImportPlan, planImport } from "./plan-import";
import { filesNamed, storeFile, withFiles } from "./store-files";

/** What became of a conversation of a file. `leftOut`: what the reader could not take over is not in it. */
export type WriteResult =
  | { outcome: "imported" | "extended"; conversationId: string; title: string; leftOut: LeftOut[] }
  | { outcome: "already_here" | "continued_since" | "changed_since"; conversationId: string }
  | { outcome: "empty" | "too_large" };

type WritePlan = Extract<ImportPlan, { outcome: "imported" | "extended" }>;

/** A conversation that is ready to be stored; its files lie there already and are nobody's yet. */
export interface PreparedConversation {
  row: NewImport;
  /** What has become of it when it is stored. */
  result: Extract<WriteResult, { outcome: "imported" | "extended" }>;
  /** Of its messages. */
  characters: number;
  /** It comes alone: its messages are all that there is to store of it. */
  isPlain: boolean;
  /** Leaves nothing of it. */
  undo(): Promise<void>;
}

/** What is to be stored of a conversation, or why nothing is. Throws 507 when its files would take too much. */
export async function prepareConversation(
  deps: FileDeps,
  userId: string,
  imported: ImportedConversation,
): Promise<PreparedConversation | WriteResult> {
  const plan = await planImport(deps, userId, imported);
  switch (plan.outcome) {
    case "imported":
    case "extended":
      return prepare(deps, userId, imported, plan);
    case "empty":
    case "too_large":
      return { outcome: plan.outcome };
    case "already_here":
    case "continued_since":
    case "changed_since":
      return { outcome: plan.outcome, conversationId: plan.known.conversationId };
  }
}

/** Several in one transaction; nothing of any is left when that fails. Throws 507 when files would take too much together. */
export async function storePrepared(
  { store, files }: FileDeps,
  prepared: readonly PreparedConversation[],
): Promise<void> {
  try {
    const rows = prepared.map(({ row }) => row);
    const userId = rows[0]?.conversation.userId;
    if (userId === undefined) return;
    const most = await files.maxBytesOf(userId);
    if (!(await store.imports.write(rows, most))) throw attachmentsFull(most);
  } catch (cause) {
    for (const { undo } of prepared) await undo();
    throw cause;
  }
}

async function prepare(
  deps: FileDeps,
  userId: string,
  file: ImportedConversation,
  plan: WritePlan,
): Promise<PreparedConversation> {
  const known = plan.outcome === "extended" ? plan.known : undefined;
  const ids = await Ids.find(deps.store, userId, idsIn(file));
  const imported = withContextHere(file, ids);
  const runs = await newRuns(deps, userId, imported, plan, ids);
  const id = known?.conversationId ?? ids.of(imported.sourceId);
  // What is here stays in its project.
  const placed =
    !known && imported.project ? await placeInProject(deps, userId, imported.project) : undefined;
  const conversation = {
    ...toConversationRow(imported, plan.messages, { id, userId }),
    ...(placed && { projectId: placed.projectId }),
  };
  const {
    rows: attachments,
    stored,
    leftOut,
  } = await storeFiles(deps, imported, plan.messages, conversation, ids);
  if (placed?.projectId === null) leftOut.push({ what: "project", count: 1 });
  const names = new Map(imported.files.map((file) => [file.id, file.name]));
  return {
    row: {
      source: imported.source,
      sourceId: imported.sourceId,
      hash: plan.hash,
      importedAt: Date.now(),
      conversation,
      ...(known && { extends: { messages: known.messageIds.size } }),
      messages: plan.messages.map((message) => ({
        ...toMessageRow(message, conversation, ids),
        message: withFiles(message.message, stored, names),
      })),
      attachments,
      runs: runs.map((run) => ({ row: toRunRow(run, conversation, ids), events: run.events })),
    },
    result: { outcome: plan.outcome, conversationId: id, title: conversation.title, leftOut },
    characters: plan.characters,
    isPlain: !known && !placed && attachments.length === 0 && runs.length === 0,
    undo: async () => {
      await deps.files.delete(attachments.map((row) => row.id));
      await placed?.undo();
    },
  };
}

/** Every id of a file that may become one of ours. */
export const idsIn = (imported: ImportedConversation): string[] => [
  imported.sourceId,
  ...imported.files.map((file) => file.id),
  ...imported.messages.flatMap(({ clientMessageId, runId }) =>
    [clientMessageId, runId].filter((id) => id !== undefined),
  ),
  ...(imported.runs ?? []).flatMap(({ row: { id, continues, options } }) => [
    ...[id, ...(continues === null ? [] : [continues])],
    ...(options.forkedFrom ? [options.forkedFrom.runId] : []),
    ...(options.comparison ? [options.comparison] : []),
    ...(options.tape ? [options.tape.runId] : []),
  ]),
];

/** Those that answer a message of the file and are not here yet. */
async function newRuns(
  { store }: Pick<FileDeps, "store">,
  userId: string,
  { runs = [] }: ImportedConversation,
  plan: WritePlan,
  ids: Ids,
): Promise<ImportedRun[]> {
  const known = plan.outcome === "extended" ? plan.known : undefined;
  const messages = new Set([...plan.messages.map(({ id }) => id), ...(known?.messageIds ?? [])]);
  const added: ImportedRun[] = [];
  for (const run of runs) {
    if (!messages.has(run.row.messageId) || !messages.has(run.row.parentId)) continue;
    const here = known && (await store.runs.get(userId, run.row.id));
    if (here && here.conversationId === known?.conversationId) ids.keep(run.row.id);
    else added.push(run);
  }
  return added;
}

async function storeFiles(
  { files }: FileDeps,
  imported: ImportedConversation,
  messages: readonly ImportedMessage[],
  { id: conversationId, userId, createdAt }: ConversationRow,
  ids: Ids,
) {
  const stored = new Map<string, AttachmentRow>();
  const counts = new Map<LeftOutKind, number>();
  const leaveOut = (what: LeftOutKind) => counts.set(what, (counts.get(what) ?? 0) + 1);
  const known = new Map(imported.files.map((file) => [file.id, file]));
  const most = await files.maxBytesOf(userId);
  let bytes = 0;
  try {
    for (const name of new Set(messages.flatMap(({ message }) => filesNamed(message)))) {
      const file = known.get(name);
      const owned = { id: ids.of(name), userId, conversationId, createdAt: file?.createdAt ?? createdAt };
      const row = file ? await storeFile(files, file, owned) : "missing_file";
      if (typeof row === "string") {
        leaveOut(row);
        continue;
      }
      stored.set(name, row);
      bytes += row.size;
      // Many files of an archive may be one entry of it: the disk is not filled with what could not be kept.
      if (bytes > most) throw attachmentsFull(most);
    }
  } catch (cause) {
    await files.delete([...stored.values()].map((row) => row.id));
    throw cause;
  }
  const leftOut: LeftOut[] = [...counts].map(([what, count]) => ({ what, count }));
  return { rows: [...stored.values()], stored, leftOut };
}
