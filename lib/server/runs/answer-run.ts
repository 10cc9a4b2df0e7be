import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { Answer } from "@/lib/protocol/answer";
import type { Chunk, DataFlow, PendingRequest } from "@/lib/protocol/chunk";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { meaningOf, questions } from "@/lib/protocol/questions";
import { exactPattern, serverPattern } from "@/lib/protocol/tool-rules";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import type { LiveRun } from "@/lib/server/loop/live-run";
import { awaitedBy } from "@/lib/server/loop/live-runs";
import { asPerson, type RunDeps } from "@/lib/server/loop/run-deps";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { addRule } from "@/lib/server/settings/tool-rules";
import type { AnswerChunk, RunRow } from "@/lib/store/types";
import type { Answering, Given } from "./answering";
import { atOwner } from "./at-owner";
import { coveredQuestions, isKept } from "./covered-questions";
import { type AnswerRequest, readAnswer } from "./read-answer";
import { readStepAnswer } from "./read-step-answer";
import { checkNamedFiles } from "./run-file";
import { planOf } from "./run-item";
import { setStep } from "./set-step";
import { continueRun } from "./start-run";

/** What one answer decides of others, and what nobody in particular answers. */
const byItself: Answering = { mayAccept: false, mayAllowForGood: true };

/**
 * Takes a person's answer to a question of a run. A live run continues at once; for one that waits, the answer to the
 * last open question starts the run that continues it. Returns that run, or how many questions are still open. A live run takes
 * it where it is driven, and who is first continues one that waits.
 */
export const answerRun = (
  deps: RunDeps,
  row: RunRow,
  request: AnswerRequest,
  by: Answering = byItself,
): Promise<Given> =>
  atOwner(deps, row, { kind: "answer", body: { request, by } }, () => answerHere(deps, row, request, by));

/** The same for a run that no other process drives. */
export function answerHere(
  answeredWith: RunDeps,
  row: RunRow,
  request: AnswerRequest,
  by: Answering,
): Promise<Given> {
  const deps = asPerson(answeredWith, row.userId);
  return deps.turns.run(row.conversationId, async () => {
    const given = await giveAgain(deps, row, request, by);
    return isKept(request) ? answerCovered(deps, row, given) : given;
  });
}

/** What was just allowed for good answers the other questions that it covers; `given` is what came of the answer itself. */
async function answerCovered(deps: RunDeps, row: RunRow, given: Given): Promise<Given> {
  let last = given;
  for (const requestId of await coveredQuestions(deps, row))
    try {
      last = await giveAgain(deps, row, { requestId, decision: "approve" }, byItself);
    } catch (cause) {
      // It stays open, or somebody else has answered it; the answer that was given counts all the same.
      if (!(cause instanceof HttpError)) throw cause;
    }
  return last;
}

async function giveAgain(deps: RunDeps, row: RunRow, request: AnswerRequest, by: Answering): Promise<Given> {
  for (let left = maxConflicts; ; left--)
    try {
      return await giveAnswer(deps, row, request, by);
    } catch (cause) {
      if (!isConflict(cause) || left === 0) throw cause;
    }
}

/** Another process has answered, stopped or continued the run meanwhile: it is looked at again. More than its questions. */
const maxConflicts = 20;

async function giveAnswer(
  deps: RunDeps,
  known: RunRow,
  request: AnswerRequest,
  by: Answering,
): Promise<Given> {
  const { id: runId, userId } = known;
  const live = await findLive(deps, runId);
  const row = live?.row ?? (await deps.store.runs.get(userId, runId));
  const kept = live ? [] : await deps.store.runs.answers(runId);
  const log = live?.chunks ?? (await readWholeLog(deps, runId)).map(({ data }) => data);
  const pending = pendingRequests([...log, ...kept]);
  const asked = pending.find(({ requestId }) => requestId === request.requestId);
  if (!row || !asked || (!live && row.status !== "waiting")) throw alreadyAnswered();
  const chunk = withWritten(await readAny(deps, { row, log, asked }, request), asked, by);
  await checkNamedFiles(deps, row, asked, chunk.answer);
  await remember(deps, row, asked, chunk.answer, by);
  const meaning = meaningOf(chunk.answer);
  if (meaning?.effect === "step" && meaning.endsMode) await setStep(deps, row, false);
  if (live) {
    if (await live.answer(chunk)) return { runId };
    // It has ended meanwhile, and may wait for fewer answers now.
    return giveAnswer(deps, known, request, by);
  }
  if (pending.length > 1) {
    await deps.store.runs.addAnswer(runId, chunk, kept.length);
    return { runId: null, pending: pending.length - 1 };
  }
  if (isForLater(deps, row, asked, chunk.answer)) {
    await deps.store.runs.addAnswer(runId, { ...chunk, at: Date.now() }, kept.length);
    return { runId: null, pending: 0 };
  }
  const next = await continueRun(deps, row, kept, chunk);
  return { runId: next.id };
}

/**
 * Whether a yes waits for the program to call again: it waits no longer, and what it asked for is not to run where nobody hears of
 * it. What was sent before goes on, as its server waits.
 */
function isForLater({ runs }: RunDeps, row: RunRow, asked: PendingRequest, answer: Answer): boolean {
  return (
    row.options.gateway !== undefined &&
    awaitedBy(runs, row) === undefined &&
    asked.type === "approval_request" &&
    asked.reason !== "sampling" &&
    meaningOf(answer)?.effect === "run"
  );
}

function withWritten(chunk: AnswerChunk, asked: PendingRequest, { written }: Answering): AnswerChunk {
  if (!written || asked.type !== "approval_request" || asked.reason !== "sampling") return chunk;
  return { ...chunk, answer: { ...chunk.answer, input: { action: "accept", content: written } } };
}

async function readAny(
  deps: RunDeps,
  { row, log, asked }: { row: RunRow; log: readonly Chunk[]; asked: PendingRequest },
  request: AnswerRequest,
): Promise<AnswerChunk> {
  if (asked.type !== "step_request") {
    const chunk = readAnswer(deps, asked, request);
    if (request.addToPlan && !(await planOf(deps, row))) throw noPlan();
    return chunk;
  }
  const answer = await readStepAnswer(deps, { row, log, asked }, request);
  return {
    type: "answer",
    requestId: asked.requestId,
    ...(asked.kind === "tool" && { id: asked.id }),
    answer,
  };
}

/** The run while it takes answers; one whose loop is about to end is waited for, as it waits or has ended then. */
async function findLive(deps: RunDeps, runId: string): Promise<LiveRun | undefined> {
  const live = deps.runs.get(runId);
  if (!live?.isEnding) return live;
  await awaitEnd(live);
  return undefined;
}

const noPlan = () =>
  new HttpError(409, "no_plan", "addToPlan: the plan was taken back meanwhile. Answer with approve alone.");

const alreadyAnswered = () =>
  new HttpError(
    409,
    "already_answered",
    "This question is no longer open; the conversation shows what happened.",
  );

/** A rule outlives the API token that it was made with, as it does where it is made in the settings. */
const needsAdminScope = () =>
  new HttpError(
    403,
    "insufficient_scope",
    "decision: allowing a tool for good needs the scope admin, which the API token does not have; approve this call or this answer alone.",
  );

/** What a person accepts or allows for good is kept before the call goes. */
async function remember(
  deps: RunDeps,
  row: RunRow,
  asked: PendingRequest,
  answer: Answer,
  { mayAccept, mayAllowForGood }: Answering,
): Promise<void> {
  const meaning = meaningOf(answer);
  if (asked.type !== "approval_request" || meaning?.effect !== "run") return;
  if (!mayAllowForGood && (meaning.covers === "always" || meaning.covers === "server"))
    throw needsAdminScope();
  const { userId, conversationId } = row;
  const found = deps.pool.tool(asked.call.name);
  if (!found) return;
  const { definition } = asked.call;
  // A definition that has changed again is not accepted by this answer: the loop asks again.
  // Of a connection of one's own it counts for nobody else.
  const isOwn = deps.pool.server(found.server)?.scope === "user" && mayAllowForGood;
  const accepts = mayAccept || isOwn;
  if (accepts && "acceptsDefinition" in questions[asked.reason] && definition === found.item.hash)
    await deps.pool.definitions.acceptTool(asked.call.name, definition).catch(passIfBroken);
  const allow = (pattern: string) => addRule(deps, userId, { pattern, effect: "allow" });
  switch (meaning.covers) {
    case "always":
      return asked.reason === "data_flow"
        ? allowFlows(deps, userId, asked.flows ?? [], found.server)
        : allow(exactPattern(found.server, found.item.name));
    case "server":
      return allow(serverPattern(found.server));
    case "reads":
      return deps.store.conversations.update(conversationId, { choice: { allowReads: true } });
    case "run":
      if (row.options.gateway)
        await deps.store.conversations.update(conversationId, { choice: { allowed: [asked.call.name] } });
      return;
    case undefined:
      return;
  }
}

/** What these servers return may go to the other one from now on. */
async function allowFlows(
  deps: RunDeps,
  userId: string,
  flows: readonly DataFlow[],
  to: string,
): Promise<void> {
  const pattern = serverPattern(to);
  for (const from of new Set(flows.map(({ server }) => server)))
    await addRule(deps, userId, { pattern, effect: "allow", from });
}

/** A lock file that cannot be read is not written either; then a yes holds for this call alone. */
function passIfBroken(cause: unknown): void {
  if (!(cause instanceof McpConfigError && cause.code === "file_broken")) throw cause;
}
