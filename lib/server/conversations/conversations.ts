import type { z } from "zod";
import type { ConversationChoice } from "@/lib/protocol/choice";
import { mergeChoice } from "@/lib/protocol/choice";
import type {
  ConversationDetail,
  ConversationItem,
  ConversationPage,
  RunItem,
  StoredMessage,
} from "@/lib/protocol/http";
import { redactMessage } from "@/lib/protocol/redact";
import { isTemporaryId } from "@/lib/protocol/temporary";
import type {
  BranchQuery,
  ConversationBody,
  ConversationPatch,
  ConversationQuery,
} from "@/lib/server/contract/conversations";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { newConversation } from "@/lib/server/new-rows";
import { withOrigins } from "@/lib/server/runs/fork-origins";
import { toRunItem } from "@/lib/server/runs/run-item";
import { askChosen } from "@/lib/server/runs/waiting-messages";
import type { ProjectRow } from "@/lib/store/kept-types";
import type { ConversationListRow, MessageRow, RunRow, StoredChoice } from "@/lib/store/types";
import { activeRunOn } from "./active-run";
import { comparisonOf, completedIn, openComparison } from "./comparison";

export async function listConversations(
  deps: RunDeps,
  userId: string,
  { project, cursor, ...filter }: z.output<typeof ConversationQuery>,
): Promise<ConversationPage> {
  const { conversations } = deps.store;
  const page = await conversations.list(userId, { ...filter, projectId: project, ...(cursor && { cursor }) });
  return {
    items: page.items.map((row) => toItem(deps, row)),
    nextCursor: page.nextCursor,
    ...(!cursor && { counts: await conversations.count(userId) }),
  };
}

export async function createConversation(
  deps: RunDeps,
  userId: string,
  { title, projectId, choice = {} }: z.output<typeof ConversationBody>,
): Promise<ConversationItem> {
  if (projectId !== undefined) await findProject(deps, userId, projectId);
  const chosen = mergeChoice(null, choice);
  const row = newConversation(userId, {
    ...(title !== undefined && { title }),
    ...(projectId !== undefined && { projectId }),
    ...(Object.keys(chosen).length > 0 && { choice: chosen }),
  });
  await deps.store.conversations.create(row);
  return toItem(deps, { ...row, lastRun: null });
}

/** The newest messages of the current branch, or of that which holds the message `branch`, or those before one of them. */
export async function readConversation(
  deps: RunDeps,
  userId: string,
  id: string,
  { limit, before, branch }: z.output<typeof BranchQuery>,
): Promise<ConversationDetail> {
  const row = await findConversation(deps, userId, id);
  const leafId = branch ? await leafWith(deps, row, branch) : row.leafId;
  const page = leafId
    ? await deps.store.messages.branch(id, leafId, { limit, ...(before && { before }) })
    : { rows: [], hasMore: false };
  const messages = await toStored(deps, id, page.rows);
  const compared = !before && leafId === row.leafId && (await openComparison(deps, row, messages));
  const underLeaf = leafId && (await deps.store.messages.children(id, [leafId])).get(leafId);
  return {
    ...toItem(deps, row),
    activeRunId: await activeRunOn(deps, id, leafId, page.rows.at(-1)),
    messages,
    choice: withoutContext(row.choice),
    hasMore: page.hasMore,
    runs: await withOrigins(deps, await runRowsOf(deps, id, page.rows)),
    ...(underLeaf && { otherAnswers: underLeaf }),
    ...(leafId && leafId !== row.leafId && { branchLeafId: leafId }),
    ...(compared && { comparison: compared }),
  };
}

/** What was chosen for parts of the context is told by the ledger, and of models that were compared by `comparison`. */
function withoutContext({
  context: _,
  compared: _compared,
  allowed: _allowed,
  ...choice
}: StoredChoice = {}): ConversationChoice | null {
  return Object.keys(choice).length > 0 ? choice : null;
}

/** The end of the current branch if the message is on it, else the newest end behind the message. */
async function leafWith(
  { store }: RunDeps,
  { id, leafId }: ConversationListRow,
  messageId: string,
): Promise<string> {
  if (!(await store.messages.get(id, messageId)))
    throw new HttpError(404, "no_such_message", "branch: there is no such message in this conversation.");
  if (leafId && (await store.messages.isOnBranch(id, leafId, messageId))) return leafId;
  return store.messages.newestLeaf(id, messageId);
}

export async function findConversation(
  deps: RunDeps,
  userId: string,
  id: string,
): Promise<ConversationListRow> {
  const row = await deps.store.conversations.get(userId, id);
  if (!row) throw notFound("conversation");
  return row;
}

export async function patchConversation(
  deps: RunDeps,
  userId: string,
  id: string,
  { leafId, ...changes }: z.output<typeof ConversationPatch>,
): Promise<ConversationItem> {
  const { choice } = await findConversation(deps, userId, id);
  if (leafId && !(await deps.store.messages.get(id, leafId)))
    throw new HttpError(404, "not_found", "leafId: there is no such message in this conversation.");
  if (changes.projectId) await findProject(deps, userId, changes.projectId);
  const compared = leafId && (await comparisonOf(deps, id, leafId));
  await deps.store.conversations.update(id, {
    ...changes,
    // Choosing a sibling in the middle shows the newest that came after it.
    ...(leafId && { branch: leafId }),
    ...(compared && { choice: { ...changes.choice, compared } }),
  });
  const isChoice = compared && choice?.compared !== compared;
  const chosen = isChoice && (await completedIn(deps, id, leafId));
  if (chosen) await askChosen(deps, chosen.row, chosen.chainId);
  return toItem(deps, await findConversation(deps, userId, id));
}

/** A conversation goes into a project of its owner only. */
export async function findProject(
  { store }: Pick<RunDeps, "store">,
  userId: string,
  id: string,
): Promise<ProjectRow> {
  const project = await store.projects.get(userId, id);
  if (!project) throw new HttpError(404, "not_found", "projectId: there is no such project.");
  return project;
}

/** The row as its owner sees it, with the state of its newest run. */
function toItem(
  deps: RunDeps,
  { userId: _, choice: __, lastRun, ...row }: ConversationListRow,
): ConversationItem {
  const active = deps.runs.ofConversation(row.id).at(-1);
  return {
    ...row,
    ...(isTemporaryId(row.id) && { temporary: true as const }),
    // Another process may drive it.
    activeRunId: active?.row.id ?? (lastRun?.status === "running" ? lastRun.id : null),
    ...(deps.runs.titling.has(row.id) && { titlePending: true as const }),
    status: active ? "running" : (lastRun?.status ?? null),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** Messages as the wire shows them: with their siblings, without provider signatures. */
export async function toStored(
  deps: RunDeps,
  conversationId: string,
  rows: readonly MessageRow[],
): Promise<StoredMessage[]> {
  const parents = [...new Set(rows.map(({ parentId }) => parentId))];
  const children = await deps.store.messages.children(conversationId, parents);
  return rows.map((row) => ({
    ...redactMessage(row.message),
    id: row.id,
    parentId: row.parentId,
    runId: row.runId,
    model: row.model,
    createdAt: new Date(row.createdAt).toISOString(),
    siblings: children.get(row.parentId ?? "") ?? [row.id],
  }));
}

/**
 * The runs that wrote these messages, those that answer them without having stored anything yet, and those that have
 * failed to: a question after which the next one was asked keeps what became of it.
 */
export async function runsOf(
  deps: RunDeps,
  conversationId: string,
  rows: readonly MessageRow[],
): Promise<RunItem[]> {
  const runs = await runRowsOf(deps, conversationId, rows);
  return Promise.all(runs.map((run) => toRunItem(deps, run)));
}

async function runRowsOf(
  deps: RunDeps,
  conversationId: string,
  rows: readonly MessageRow[],
): Promise<RunRow[]> {
  const ids = new Set(rows.flatMap(({ runId }) => runId ?? []));
  const leaf = rows.at(-1);
  // A run without messages (still going on, or failed before its first word) shows only at the end of its branch.
  if (leaf) {
    const question = rows.findLast(isQuestion);
    const runs = question ? await deps.store.runs.ofMessage(conversationId, question.id) : [];
    for (const { id, parentId } of runs) if (parentId === leaf.id) ids.add(id);
  }
  for (const run of await Promise.all(unanswered(rows).map((id) => wordlessRun(deps, conversationId, id))))
    if (run) ids.add(run.id);
  for (const run of await forksWithoutMessage(deps, conversationId, rows)) ids.add(run.id);
  const found = await deps.store.runs.many([...ids]);
  return found.toSorted((a, b) => a.startedAt - b.startedAt || a.id.localeCompare(b.id));
}

/** Ids of the questions right after which the next one was asked. */
const unanswered = (rows: readonly MessageRow[]): string[] =>
  rows.flatMap((row, at) => {
    const next = rows[at + 1];
    return isQuestion(row) && next && isQuestion(next) ? row.id : [];
  });

/** The newest run that answered this question and ended without a word. */
async function wordlessRun(deps: RunDeps, conversationId: string, messageId: string) {
  const runs = await deps.store.runs.ofMessage(conversationId, messageId);
  return runs.findLast(({ parentId, result }) => parentId === messageId && result?.messages === 0);
}

/** Forks that end with the words of a person have no message of their own: they hang on the last of their copies. */
async function forksWithoutMessage(
  { store }: RunDeps,
  conversationId: string,
  rows: readonly MessageRow[],
): Promise<RunRow[]> {
  const found = rows.map(async ({ id, message }, at) => {
    if (message.role !== "assistant" || message.by !== "person") return [];
    const question = rows.slice(0, at).findLast(isQuestion);
    const runs = question ? await store.runs.ofMessage(conversationId, question.id) : [];
    return runs.filter(({ parentId, options }) => parentId === id && options.forkedFrom !== undefined);
  });
  return (await Promise.all(found)).flat();
}
