import type { AgenticLoopResult, Chunk, PendingRequest, StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readWholeLog, wholeResult } from "@/lib/server/loop/stored-run";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { startRun } from "@/lib/server/runs/start-run";
import { run as newRun, result, runEnd } from "@/lib/store/testing/rows";
import type { LogEvent, RunOptions, RunRow } from "@/lib/store/types";
import type { HeldCall } from "./gated-store";
import type { Process, World } from "./world";

export const user = "ann";

/** Asks the first question of a new conversation; resolves when its run is stored and goes on. */
export const ask = (
  deps: RunDeps,
  options: RunOptions = {},
  agent: string | null = null,
  model = scriptedAsker.model,
): Promise<RunRow> => startRun(deps, { ...firstQuestion({ ...scriptedAsker, model }), options, agent });

const scriptedAsker = { userId: user, model: "scripted/model" };

function firstQuestion(asker = scriptedAsker) {
  const conversation = newConversation(asker.userId, { title: "A talk" });
  const conversationId = conversation.id;
  const parts = [{ type: "text" as const, text: "Do it." }];
  const question = newMessage({ conversationId, parentId: null }, { role: "user", parts });
  const { id } = question;
  return { ...asker, conversationId, messageId: id, parentId: id, begin: { conversation, question } };
}

/** A run that has said nothing but this question, and waits for its answer. */
export async function waitingFor(
  { store }: Pick<RunDeps, "store">,
  question: StepChunk,
  asker = scriptedAsker,
): Promise<RunRow> {
  const { begin, ...place } = firstQuestion(asker);
  const end = result({ stopReason: "awaiting_approval", historyDelta: [], finalText: "" });
  const row = newRun(newId(), { ...place, status: "waiting", endedAt: Date.now(), result: runEnd(end) });
  await store.runs.begin(row, begin);
  const log: Chunk[] = [question, { type: "result", result: end }];
  await store.log.append(
    row.id,
    log.map((data, index) => ({ seq: index + 1, at: 1, data })),
    true,
  );
  return row;
}

/**
 * Asks a model that wants `desk__work` as "a", which needs a yes, and one other call of the desk. The yes comes between the
 * loop's last look and the end of the run; `begin` holds back the run that goes on.
 */
export async function answerAfterLastLook(
  app: Process & { world: World },
): Promise<{ run: RunRow; begin: HeldCall }> {
  const open = app.world.desk.hold();
  const last = app.store.hold(
    "log.append",
    (_id: string, [event]: LogEvent[]) => event?.data.type === "tool_result",
  );
  const run = await ask(app);
  const live = app.runs.get(run.id);
  await app.world.desk.came(1);
  open();
  // The last of the other calls has ended, so the one that waits is not waited for any more.
  await last.reached;
  const begin = app.store.hold("runs.begin");
  const id = "a" as ToolCallId;
  const answered = live?.answer({ type: "answer", requestId: id, id, answer: { decision: "approve" } });
  last.release();
  if (!(await answered)) throw new Error("The answer came too late.");
  return { run: await ended(app, run), begin };
}

/** The run as it is stored, once it goes on no longer in this process. */
export async function ended(deps: RunDeps, { id }: Pick<RunRow, "id">): Promise<RunRow> {
  await deps.runs.get(id)?.ended;
  return stored(deps, id);
}

/** With its last words, which are stored with its messages alone. */
export async function stored(deps: Pick<RunDeps, "store">, id: string): Promise<RunRow> {
  const row = await deps.store.runs.get(user, id);
  if (!row) throw new Error(`There is no run ${id}.`);
  if (!row.result) return row;
  const { finalText } = await wholeResult(deps, row, row.result);
  return { ...row, result: { ...row.result, finalText } };
}

/** Everything that its log holds. */
export const logOf = async (deps: Pick<RunDeps, "store">, { id }: Pick<RunRow, "id">): Promise<Chunk[]> =>
  (await readWholeLog(deps, id)).map(({ data }) => data);

/** The end of a run as its log holds it, with the messages it added. */
export async function resultOf(
  deps: Pick<RunDeps, "store">,
  row: Pick<RunRow, "id">,
): Promise<AgenticLoopResult> {
  const last = (await logOf(deps, row)).at(-1);
  if (last?.type !== "result") throw new Error("The log has no end.");
  return last.result;
}

/** The types of a log's chunks, without those that only tell of costs and of what the model was sent. */
export const kindsOf = async (deps: Pick<RunDeps, "store">, row: Pick<RunRow, "id">): Promise<string> =>
  (await logOf(deps, row))
    .flatMap(({ type }) => (type === "usage" || type === "request" ? [] : type))
    .join(" ");

/** The questions of a run, in the order in which they were asked. */
export const questionsOf = async (
  deps: Pick<RunDeps, "store">,
  row: Pick<RunRow, "id">,
): Promise<PendingRequest[]> => pendingRequests(await logOf(deps, row));

/** The messages up to the last one of the conversation. */
export async function historyOf({ store }: Pick<RunDeps, "store">, { conversationId }: RunRow) {
  const leafId = (await store.conversations.get(user, conversationId))?.leafId;
  const { rows } = leafId ? await store.messages.branch(conversationId, leafId) : { rows: [] };
  return rows.map(({ message }) => message);
}

/** The run that continues this one. */
export async function nextOf({ store }: Pick<RunDeps, "store">, row: RunRow): Promise<RunRow | undefined> {
  const rows = await store.runs.ofMessage(row.conversationId, row.messageId);
  return rows.find(({ continues }) => continues === row.id);
}
