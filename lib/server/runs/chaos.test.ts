import { expect, test } from "vitest";
import type { Provider } from "@/lib/agent/ports";
import { assertAccepted, call, user as says, stop, text } from "@/lib/agent/testing/scripted";
import type { ApprovalRequest, PendingRequest } from "@/lib/protocol/chunk";
import { lastText, modelHistory, openToolCalls } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { Transcript } from "@/lib/protocol/transcript";
import { completeLog, lastMessageOf, readWholeLog } from "@/lib/server/loop/stored-run";
import { addRule } from "@/lib/server/settings/tool-rules";
import { type Dice, rollFrom } from "@/lib/server/testing/dice";
import { ask, ended, logOf, resultOf, user } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, startProcess, type World } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { closeWaiting } from "./close-waiting";
import { recoverRuns } from "./recover-runs";
import { resumeRun } from "./resume-run";
import { stopRun } from "./stop-run";

const seeds = 400;

/** One conversation, through as many processes as it takes. */
interface Walk {
  world: World;
  app: Process;
  run: RunRow;
  dice: Dice;
  /** How often each call may go, and with which arguments. */
  allowed: Map<string, { times: number; args: unknown[] }>;
  counts: { kills: number; unknowns: number; edits: number; stops: number };
}

/**
 * The same dice give the same script, kills and answers; only the order in which calls of one round come back is the
 * machine's own.
 */
test(`${seeds} random conversations with kill -9, Stop, approvals with edits, denials and outcomes told by hand: nothing runs that was not allowed, or with other arguments, and every history is accepted`, async () => {
  const world = await openWorld([]);
  const counts = { kills: 0, unknowns: 0, edits: 0, stops: 0 };
  await addRule(startProcess(world), user, { pattern: "mcp:desk:act", effect: "allow" });
  for (let seed = 1; seed <= seeds; seed++) {
    const dice = rollFrom(seed);
    world.desk.calls.length = 0;
    const allowed: Walk["allowed"] = new Map();
    world.model = randomModel(seed, dice, allowed);
    const app = startProcess(world);
    await walk({ world, app, run: await ask(app), dice, allowed, counts }).catch((cause) => {
      throw new Error(`seed ${seed}: ${cause.message}`, { cause });
    });
  }
  expect(counts.kills).toBeGreaterThan(200);
  expect(counts.unknowns).toBeGreaterThan(8);
  expect(counts.edits).toBeGreaterThan(100);
  expect(counts.stops).toBeGreaterThan(50);
}, 240_000);

async function walk(here: Walk): Promise<void> {
  for (let step = 0; step < 25; step++) {
    await goOrDie(here);
    await checkRun(here);
    checkCalls(here);
    if (here.run.status === "completed" || here.run.status === "stopped") return;
    if (!(await answerSome(here))) return;
  }
}

/** Lets the run go on until it ends, is stopped or its process is killed; then a new process has recovered it. */
async function goOrDie(here: Walk): Promise<void> {
  const { app, dice, counts } = here;
  const { store } = app;
  if (dice() < 0.5) store.killAt(1 + Math.floor(dice() * 20), dice() < 0.5 ? "before" : "after");
  const stopAt = dice() < 0.15 ? 1 + Math.floor(dice() * 8) : 0;
  let appends = 0;
  let stopping: Promise<void> | undefined;
  store.onCall = (method) => {
    if (method !== "log.append" || ++appends !== stopAt) return;
    counts.stops++;
    stopping = stopRun(app, here.run);
  };
  await finishedOrKilled(here, async () => {
    const row = await ended(app, here.run);
    await stopping;
    return row;
  });
}

/** Does something in the process of the walk. Undefined when it was killed meanwhile. */
async function finishedOrKilled<T>(here: Walk, work: () => Promise<T>): Promise<T | undefined> {
  const { store } = here.app;
  const value = await Promise.race([work(), store.killed.then(() => undefined)]);
  // A call that nobody waits for may have been the last one.
  if (value !== undefined && !store.isDead) {
    store.killAt(Number.POSITIVE_INFINITY, "before");
    await refresh(here);
    return value;
  }
  here.counts.kills++;
  await store.quiet();
  here.app = startProcess(here.world);
  await recoverRuns(here.app);
  expect(here.app.faults).toEqual([]);
  await refresh(here);
  return undefined;
}

/** The newest run of the conversation, when it has ended. */
async function refresh(here: Walk): Promise<void> {
  const { conversationId, messageId } = here.run;
  const newest = (await here.world.store.runs.ofMessage(conversationId, messageId)).at(-1);
  if (newest) here.run = newest;
}

const foldOf = (base: readonly ChatMessage[], log: Parameters<Transcript["add"]>[0][]): Transcript => {
  const fold = new Transcript(base);
  for (const chunk of log) fold.add(chunk);
  return fold.close();
};

/** One end, a log without gaps that says the same as the record, and a history that providers take. */
async function checkRun({ world, run, ...here }: Walk): Promise<void> {
  const app = { ...here.app, store: world.store };
  const { result, conversationId, parentId } = run;
  expect(["completed", "stopped", "waiting", "interrupted"]).toContain(run.status);
  if (!result) throw new Error("A run without an end.");
  await completeLog(app, run, true);
  const events = await readWholeLog(app, run.id);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ data }) => data.type === "result")).toHaveLength(1);
  const { historyDelta, ...end } = await resultOf(app, run);
  expect({ ...end, messages: historyDelta.length }).toEqual({ finalText: lastText(historyDelta), ...result });
  const { rows } = await app.store.messages.branch(conversationId, parentId);
  const base = rows.map(({ message }) => message);
  const fold = foldOf(
    base,
    events.map(({ data }) => data),
  );
  expect(fold.delta).toEqual(historyDelta);
  assertAccepted(modelHistory([...fold.history(), says("x")]));
  const isWaiting = result.stopReason.startsWith("awaiting");
  expect(openToolCalls(fold.history()).length > 0).toBe(isWaiting);
}

function checkCalls({ world, allowed }: Walk): void {
  const went = new Map<string, number>();
  for (const { args } of world.desk.calls) {
    const { id } = args as { id: string };
    went.set(id, (went.get(id) ?? 0) + 1);
    expect(allowed.get(id)?.args, `what ${id} ran with`).toContainEqual(args);
  }
  for (const [id, count] of went)
    expect(count, `how often ${id} ran`).toBeLessThanOrEqual(allowed.get(id)?.times ?? 0);
}

/** Answers most questions, or goes on without; false when the conversation is over. */
async function answerSome(here: Walk): Promise<boolean> {
  const { dice, run } = here;
  if (run.status === "interrupted") {
    const next = await finishedOrKilled(here, () => resumeRun(here.app, run));
    if (next) here.run = next;
    return true;
  }
  if (dice() < 0.05) {
    const leaf = await here.app.store.messages.get(run.conversationId, await lastMessageOf(here.app, run));
    if (leaf) await closeWaiting(here.app, user, leaf);
    return false;
  }
  const questions = pendingRequests([
    ...(await logOf(here.app, run)),
    ...(await here.app.store.runs.answers(run.id)),
  ]);
  expect(questions).not.toEqual([]);
  for (const question of questions) {
    if (dice() < 0.3) continue;
    const answered = await answerOne(here, question);
    if (!answered) return true;
    if (answered.runId) here.run = { ...run, id: answered.runId };
  }
  return true;
}

async function answerOne(here: Walk, question: PendingRequest) {
  const { app, run, dice, allowed, counts } = here;
  if (question.type !== "approval_request") throw new Error(`A question of another kind: ${question.type}.`);
  const { call: asked, reason } = question;
  const args = asked.args as { id: string; n: number };
  const may = allowed.get(args.id) ?? { times: 0, args: [] };
  allowed.set(args.id, may);
  if (reason === "outcome_unknown") counts.unknowns++;
  const answer = randomAnswer(question, dice, args);
  const before = may.args;
  if (answer.decision === "approve" || answer.decision === "retry") may.times++;
  if (answer.decision === "approve" && reason === "rule") may.args = [...before, answer.args ?? args];
  if (answer.args) counts.edits++;
  const answered = await finishedOrKilled(here, () =>
    answerRun(app, run, { requestId: question.requestId, ...answer }),
  );
  // Nothing that was said before holds any more; of what a kill cut off nobody knows.
  if (answered && answer.decision === "approve" && reason === "rule") may.args = [answer.args ?? args];
  return answered;
}

type RandomAnswer = {
  decision: "approve" | "deny" | "retry" | "done" | "skip";
  args?: { id: string; n: number };
  result?: string;
};

function randomAnswer(
  { reason }: ApprovalRequest,
  dice: Dice,
  args: { id: string; n: number },
): RandomAnswer {
  const roll = dice();
  if (reason === "outcome_unknown") {
    if (roll < 0.6) return { decision: "retry" };
    if (roll < 0.8) return { decision: "done", result: "It went well." };
    return { decision: roll < 0.9 ? "skip" : "deny" };
  }
  if (roll < 0.5) return { decision: "approve", args: { ...args, n: args.n + 1000 } };
  return { decision: roll < 0.8 ? "approve" : "deny" };
}

/** Says a word and asks for up to three calls at once; those of `act` are allowed by a rule, `look` only reads. */
function randomModel(seed: number, dice: Dice, allowed: Walk["allowed"]): Provider {
  let ids = 0;
  return {
    async *stream({ history }) {
      assertAccepted(modelHistory(history));
      yield text("t");
      const calls = dice() < 0.7 && ids < 12 ? 1 + Math.floor(dice() * 3) : 0;
      for (let count = 0; count < calls; count++) {
        const id = `s${seed}-${ids++}`;
        const args = { id, n: ids };
        const roll = dice();
        if (roll >= 0.4) allowed.set(id, { times: roll < 0.7 ? 1 : 100, args: [args] });
        yield call(id, roll < 0.4 ? "desk__work" : roll < 0.7 ? "desk__act" : "desk__look", args);
      }
      yield stop(calls > 0 ? "tool_use" : "end_turn");
    },
  };
}
