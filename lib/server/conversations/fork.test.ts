import { expect, onTestFinished, test } from "vitest";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { callsOfLastRound } from "@/lib/protocol/fork";
import { foldAgents } from "@/lib/protocol/fork-log";
import { type ForkStep, findAgentStep, findStep } from "@/lib/protocol/fork-step";
import { callsIn } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { callTools, cut, fault, finish, hang, type Step, say, think } from "@/lib/providers/testing/steps";
import type { AgentDefinition, AgentNode } from "@/lib/server/agents/agent-definition";
import { HttpError } from "@/lib/server/http/errors";
import { isModelAgent } from "@/lib/server/loop/agent-path";
import { readPast } from "@/lib/server/loop/chain";
import { completeLog } from "@/lib/server/loop/stored-run";
import { answerRun } from "@/lib/server/runs/answer-run";
import { forkRun } from "@/lib/server/runs/fork-run";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import { type Dice, rollFrom } from "@/lib/server/testing/dice";
import { ask as askAgent, logOf, user } from "@/lib/server/testing/run-kit";
import { type Asked, openWires, type Wires } from "@/lib/server/testing/wires";
import { openWorld, type Process, startProcess, type World } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { chat } from "./chat";
import { queueMessage } from "./queued-messages";

/** About ten seconds; `FORK_SEEDS=500` for a long walk, which also tells what it has met. */
const seeds = Number(process.env.FORK_SEEDS ?? 10);
const mostForks = 15;

type Counts = Record<
  | "forks"
  | "text"
  | "args"
  | "result"
  | "agents"
  | "asked after"
  | "forks of forks"
  | "summaries"
  | "steered"
  | "kills"
  | "stops"
  | "denied"
  | "failed",
  number
>;

interface Walk {
  world: World;
  wires: Wires;
  app: Process;
  dice: Dice;
  run: RunRow;
  counts: Counts;
  /** Signatures and ids are there once. */
  names: number;
  /** Turns that may still call tools. */
  rounds: number;
}

let here: Walk;

test(
  `${seeds} random conversations, forked at every step with every kind of edit: each provider takes what follows, and what was before is as it was`,
  async () => {
    const counts = Object.fromEntries(kindsOfCounts.map((kind) => [kind, 0])) as Counts;
    const wires = await openWires((asked) => randomTurn(asked), 1_500);
    onTestFinished(async () => void (await wires.close()));
    const world = await openWorld([]);
    for (let seed = 1; seed <= seeds; seed++) {
      const dice = rollFrom(seed);
      here = { world, wires, dice, counts, names: 0, rounds: 6, ...({} as Pick<Walk, "run" | "app">) };
      startAgain();
      await walk()
        .then(forkAll)
        .catch((cause) => {
          throw new Error(`seed ${seed}: ${cause.message}`, { cause });
        });
    }
    if (process.env.FORK_SEEDS) console.log(JSON.stringify(counts));
    // Of what only happens now and then, a few walks may have none.
    const certain = process.env.FORK_SEEDS ? kindsOfCounts : (["forks", "text", "args", "result"] as const);
    for (const what of certain) expect(counts[what], what).toBeGreaterThan(0);
  },
  process.env.FORK_SEEDS ? 3_600_000 : 120_000,
);

const kindsOfCounts: (keyof Counts)[] = [
  ...(["forks", "text", "args", "result", "agents", "asked after", "forks of forks"] as const),
  ...(["summaries", "steered", "kills", "stops", "denied", "failed"] as const),
];

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(here.dice() * items.length)] as Item;

function startAgain(): void {
  const app = startProcess(here.world);
  here.app = { ...app, providers: here.wires.providers, askWaiting: app.askWaiting };
}

/** Says something and asks for up to three calls at once, or breaks off; a person may step in before it does. */
async function randomTurn({ cutOff }: Asked): Promise<Step[]> {
  const { dice, counts, app, run } = here;
  const name = () => `n${here.names++}`;
  const may = here.rounds-- > 0;
  const steps: Step[] = [];
  if (dice() < 0.4) steps.push(think("Let me think.", dice() < 0.9 ? { signature: name() } : {}));
  if (dice() < 0.6 || !may) steps.push(say(pick(["Well.", "A long story. ".repeat(40)]), signed()));
  if (!may) return steps;
  if (dice() < 0.15 && run && run.agent === null) {
    counts.steered++;
    const body = { text: "Shorter.", when: "next_turn" as const, clientMessageId: name() };
    await queueMessage(app, run, body).catch(refused);
  }
  if (dice() < 0.06 && run) {
    counts.stops++;
    // A fork asks before it is known here.
    for (const live of app.runs.all()) void stopRun(app, live.row).catch(refused);
    return [...steps, hang];
  }
  const calls = dice() < 0.7 ? Array.from({ length: 1 + Math.floor(dice() * 3) }, randomCall) : [];
  if (calls.length > 0) steps.push(callTools(...calls.map((call) => ({ ...call, ...signed() }))));
  const roll = dice();
  // After the first word, as a turn without one is asked for again, after a pause.
  if (steps.some(({ type }) => type === "text") && roll < 0.1) steps.push(pick([cut, fault(500, "oops")]));
  else if (roll < 0.14) steps.push(finish(cutOff));
  return steps;
}

const signed = () => (here.dice() < 0.7 ? { signature: `n${here.names++}` } : {});

function randomCall() {
  const roll = here.dice();
  if (roll < 0.1) return { name: "desk__look", written: '{"n": ' };
  if (roll < 0.2) return { name: "desk__look", args: { n: "none" } };
  if (roll < 0.25) return { name: "nobody__nothing" };
  return { name: pick(["desk__look", "desk__look", "desk__work", "desk__form"]), args: { n: here.names++ } };
}

/** Questions of a person, in a chat or to a workflow, until nothing goes on. */
async function walk(): Promise<void> {
  const { dice, counts, wires } = here;
  const model = pick(wires.models);
  here.run =
    dice() < 0.35
      ? await askAgent(here.app, { workflow: flow }, flow.name, model)
      : await chat(here.app, user, { message: { text: "Do it." }, model });
  for (let step = 0, asked = 0; step < 12; step++) {
    if (dice() < 0.15) here.app.store.killAt(1 + Math.floor(dice() * 12), dice() < 0.5 ? "before" : "after");
    await atRest();
    here.rounds = Math.max(here.rounds, 1);
    const { status, agent } = here.run;
    if (status === "failed") counts.failed++;
    if (status === "waiting" && dice() < 0.9) await answerAll();
    else if ((status === "failed" || status === "interrupted") && dice() < 0.7)
      here.run = (await resumeRun(here.app, here.run).catch(refused)) ?? here.run;
    else if (agent === null && asked++ < 2) await askNext();
    else break;
  }
  await atRest();
}

/** Until the run has ended, or its process is killed and another has recovered it. */
async function atRest(): Promise<void> {
  const { store } = here.app;
  await Promise.race([settled(here.app), store.killed]);
  if (store.isDead) {
    here.counts.kills++;
    await store.quiet();
    startAgain();
    await recoverRuns(here.app);
    await settled(here.app);
  }
  store.killAt(Number.POSITIVE_INFINITY, "before");
  const { conversationId, messageId } = here.run;
  here.run = (await here.world.store.runs.ofMessage(conversationId, messageId)).at(-1) ?? here.run;
}

/** Until nothing goes on: between two runs, of which one goes on with the other, there is none for a moment. */
async function settled({ runs, store }: Process): Promise<void> {
  const isBusy = () => !runs.isIdle || runs.handing.size > 0 || !store.isQuiet;
  do {
    await Promise.all(runs.all().map(({ ended }) => ended));
    await store.quiet();
    await new Promise((next) => setImmediate(next));
  } while (isBusy() && !store.isDead);
}

async function askNext(): Promise<void> {
  const { conversationId } = here.run;
  const request = { conversationId, message: { text: "And then?" }, model: pick(here.wires.models) };
  here.run = (await chat(here.app, user, request).catch(refused)) ?? here.run;
}

async function answerAll(): Promise<void> {
  const { app, run } = here;
  const questions = pendingRequests([...(await logOf(app, run)), ...(await app.store.runs.answers(run.id))]);
  for (const question of questions) {
    const request = { requestId: question.requestId, ...answerTo(question) };
    const given = await answerRun(app, run, request).catch(refused);
    const next = given?.runId ? await app.store.runs.get(user, given.runId) : undefined;
    if (next) here.run = next;
  }
}

function answerTo(question: PendingRequest): Omit<Parameters<typeof answerRun>[2], "requestId"> {
  const { dice, counts } = here;
  switch (question.type) {
    case "input_request":
      return dice() < 0.6 ? { action: "accept", content: { city: "Kyoto" } } : { action: "decline" };
    case "approval_request":
      if (question.reason === "outcome_unknown") return { decision: pick(["retry", "skip"] as const) };
      if (dice() < 0.6) return { decision: "approve", ...(dice() < 0.4 && { args: { n: 1_000 } }) };
      counts.denied++;
      return { decision: "deny" };
    case "budget_request":
      return { decision: "finish" };
    case "step_request":
      return { decision: "run_on" };
  }
}

/** What is refused by name changes nothing. */
function refused(cause: unknown): undefined {
  if (!(cause instanceof HttpError) || cause.status >= 500) throw cause;
}

const llm = (name: string, more: object = {}): AgentNode => ({
  ...{ type: "llm", name, instruction: `You are ${name}.`, outputKey: name },
  ...more,
});
const flow: AgentDefinition = {
  name: "flow",
  agent: {
    type: "sequential",
    agents: [
      llm("find"),
      { type: "parallel", name: "both", agents: [llm("left"), llm("right", { includeContents: "none" })] },
      { type: "loop", name: "refine", maxIterations: 2, agents: [llm("critic", { exitLoop: true })] },
    ],
  },
};

interface Place {
  row: RunRow;
  seq: number;
  /** Its `delta` is all that answers the question, what the runs before have said too. */
  step: ForkStep;
}
type Edit = NonNullable<Parameters<typeof forkRun>[2]["edit"]>;

async function forkAll(): Promise<void> {
  const { app, counts, dice } = here;
  const { items } = await app.store.runs.list(user, {
    ...{ conversation: here.run.conversationId, limit: 100 },
  });
  const todo: [Place, Edit | undefined][] = [];
  for (const row of items)
    for (const place of await placesOf(row)) for (const edit of editsAt(place.step)) todo.push([place, edit]);
  for (let done = 0; done < mostForks && todo.length > 0; done++) {
    const [[place, edit] = []] = todo.splice(Math.floor(dice() * todo.length), 1);
    if (!place) break;
    const fork = await forkOne(place, edit);
    if (dice() > 0.15) continue;
    counts["forks of forks"]++;
    const places = await placesOf(fork);
    if (places.length > 0) await forkOne(pick(places), pick(editsAt(pick(places).step).slice(0, 2)));
  }
}

/** Every step of a run. */
async function placesOf(row: RunRow): Promise<Place[]> {
  const { app, counts } = here;
  await completeLog(app, row);
  const log = await logOf(app, row);
  counts.summaries += log.filter(({ type, ...chunk }) => type === "message" && isSummary(chunk)).length;
  const past = row.agent === null ? [] : await readPast(app, row);
  const { rows } = await app.store.messages.branch(row.conversationId, row.parentId);
  const base = rows.map(({ message }) => message);
  const canFork = (path: string) => isModelAgent(row.options.workflow, path);
  return log.flatMap((_, at) => {
    const seq = at + 1;
    const step = row.agent === null ? findStep(base, log, seq) : findAgentStep(log, seq, { past, canFork });
    if (!("kind" in step)) return [];
    const answer = row.agent === null ? base.slice(rows.findIndex(({ id }) => id === row.messageId) + 1) : [];
    return { row, seq, step: { ...step, delta: [...answer, ...step.delta] } };
  });
}

const isSummary = (chunk: object) => (chunk as { message?: ChatMessage }).message?.role === "summary";

function editsAt({ delta }: ForkStep): (Edit | undefined)[] {
  const result = {
    status: pick(["ok", "error"] as const),
    content: [{ type: "text" as const, text: "By hand." }],
  };
  return [
    undefined,
    { text: "By hand." },
    ...callsOfLastRound(delta).map(({ id }) => ({ callId: id, args: { n: 5 } })),
    ...delta.flatMap(callsIn).map(({ id }) => ({ callId: id, result })),
  ];
}

async function forkOne({ row, seq, step }: Place, edit: Edit | undefined): Promise<RunRow> {
  const { app, dice, counts, wires } = here;
  here.rounds = dice() < 0.3 ? 1 : 0;
  const where = `${row.model} at ${seq} with ${JSON.stringify(edit)}`;
  const model = dice() < 0.7 ? pick(wires.models) : undefined;
  const fork = await forkRun(app, row, { afterSeq: seq, edit, model, title: undefined }).catch((cause) => {
    throw new Error(`${where}: ${cause.message}`, { cause });
  });
  here.run = fork;
  await settled(app);
  counts.forks++;
  if (row.agent !== null) counts.agents++;
  if (edit) counts[edit.text !== undefined ? "text" : edit.args ? "args" : "result"]++;
  expect(wires.refusals(), `${where} as ${model}`).toEqual([]);
  const begun = await beginningOf(fork, step);
  // Words end what a fork begins with, in place of the last turn and its round.
  const kept = edit?.text === undefined ? Number.POSITIVE_INFINITY : begun.length - 1;
  expect(linesOf(begun.slice(0, kept), step, edit), where).toEqual(
    linesOf(step.delta.slice(0, kept), step, edit),
  );
  if (row.agent === null && dice() < 0.3) {
    counts["asked after"]++;
    await askNext();
    await settled(app);
    expect(wires.refusals(), `asked ${here.run.model} after ${where}`).toEqual([]);
  }
  return (await app.store.runs.get(user, fork.id)) ?? fork;
}

/** What a fork begins with, of the agent whose step it is. */
async function beginningOf(fork: RunRow, { agent }: ForkStep): Promise<readonly ChatMessage[]> {
  const { app } = here;
  if (agent !== undefined) {
    const log = (await logOf(app, fork)).slice(0, fork.options.forkedFrom?.copied);
    return foldAgents(log.filter((chunk) => chunk.type !== "result")).get(agent)?.delta ?? [];
  }
  const { rows } = await app.store.messages.branch(fork.conversationId, fork.parentId);
  return rows.slice(rows.findIndex(({ id }) => id === fork.messageId) + 1).map(({ message }) => message);
}

/** Messages but for what the edit is about, and for what became of the calls of the last round since. */
function linesOf(messages: readonly ChatMessage[], { delta }: ForkStep, edit: Edit | undefined): string[] {
  const answered = new Set(
    delta.flatMap((message) =>
      message.role === "tool"
        ? message.results.flatMap(({ id, reason }) => (reason === "cut_short" ? [] : id))
        : [],
    ),
  );
  const asking = edit?.text === undefined ? messages.findLastIndex(({ role }) => role === "assistant") : -1;
  return messages.flatMap((message, at) => {
    if (message.role === "tool")
      return message.results.flatMap((result) =>
        answered.has(result.id) && result.id !== edit?.callId ? JSON.stringify(result) : [],
      );
    return JSON.stringify(message, (key, value) => (at === asking && key === "id" ? "" : value));
  });
}
