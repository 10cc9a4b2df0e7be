import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Provider } from "@/lib/agent/ports";
import { assertAccepted, call, user as says, stop, text } from "@/lib/agent/testing/scripted";
import { modelHistory } from "@/lib/protocol/history";
import type { QueuedMessage } from "@/lib/protocol/http";
import type { UserMessage } from "@/lib/protocol/message";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { Transcript } from "@/lib/protocol/transcript";
import { HttpError } from "@/lib/server/http/errors";
import { completeLog, messagesOf } from "@/lib/server/loop/stored-run";

import { answerRun } from "@/lib/server/runs/answer-run";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import { endOfChain } from "@/lib/server/runs/waiting-messages";
import { addRule } from "@/lib/server/settings/tool-rules";
import { type Dice, rollFrom } from "@/lib/server/testing/dice";
import { logOf, user } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, startProcess, type World } from "@/lib/server/testing/world";
import { askStored } from "@/lib/store/testing/temp-store";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { chat } from "./chat";
import { changeQueued, listQueued, queueMessage, stopAndAsk, takeBack } from "./queued-messages";

/** About ten seconds; `STEERING_SEEDS=2000` for a long walk, which also tells what it has met. */
const seeds = Number(process.env.STEERING_SEEDS ?? 40);

/** One conversation, through as many processes as it takes. */
interface Walk {
  world: World;
  app: Process;
  dice: Dice;
  conversationId: string;
  /** What was acknowledged, by id: its words, those of changes that a kill cut off too. */
  sent: Map<string, Set<string>>;
  /** Taken back; `maybe` when a kill cut it off. */
  back: Map<string, "yes" | "maybe">;
  /** Sent as a question: one that is taken back at the same time may have come later. */
  now: Set<string>;
  names: number;
  counts: Counts;
}

type Counts = Record<"kills" | "steered" | "asked" | "waiting" | "back", number>;

test(
  `${seeds} random walks of steering, queueing, changing, taking back, stopping, approving and kill -9: every message stands once in the history or in the queue`,
  async () => {
    const world = await openWorld([]);
    const counts: Counts = { kills: 0, steered: 0, asked: 0, waiting: 0, back: 0 };
    await addRule(startProcess(world), user, { pattern: "mcp:desk:act", effect: "allow" });
    for (let seed = 1; seed <= seeds; seed++) {
      const dice = rollFrom(seed);
      world.model = randomModel(seed, dice);
      const here = await begin(world, dice, counts);
      await walk(here).catch((cause) => {
        throw new Error(`seed ${seed}: ${cause.message}`, { cause });
      });
    }
    if (process.env.STEERING_SEEDS) console.log(JSON.stringify(counts));
    for (const [what, count] of Object.entries(counts))
      expect(count, what).toBeGreaterThan(what === "back" ? seeds / 20 : seeds / 5);
  },
  process.env.STEERING_SEEDS ? 3_600_000 : 120_000,
);

async function begin(world: World, dice: Dice, counts: Counts): Promise<Walk> {
  const app = startProcess(world);
  const { conversationId } = await chat(app, user, { message: { text: "Do it." } });
  return {
    world,
    app,
    dice,
    conversationId,
    sent: new Map(),
    back: new Map(),
    now: new Set(),
    names: 0,
    counts,
  };
}

async function walk(here: Walk): Promise<void> {
  for (let step = 0; step < 14; step++) {
    const { store } = here.app;
    if (here.dice() < 0.25)
      store.killAt(1 + Math.floor(here.dice() * 25), here.dice() < 0.5 ? "before" : "after");
    // Some at once, some one after the other.
    const acts = [act(here), ...(here.dice() < 0.4 ? [act(here)] : [])];
    await Promise.all(acts);
    for (let turns = Math.floor(here.dice() * 30); turns > 0; turns--) await nextTurn();
    if (store.isDead) await startAgain(here);
  }
  await atRest(here);
  await check(here);
}

async function startAgain(here: Walk): Promise<void> {
  await here.app.store.quiet();
  here.counts.kills++;
  here.app = startProcess(here.world);
  await recoverRuns(here.app);
  expect(here.app.faults).toEqual([]);
}

/** Until nothing goes on by itself any more. */
async function atRest(here: Walk): Promise<void> {
  here.app.store.killAt(Number.POSITIVE_INFINITY, "before");
  if (here.app.store.isDead) await startAgain(here);
  const { runs } = here.app;
  while (runs.count > 0 || runs.handing.size > 0) {
    await Promise.all(runs.all().map(({ ended }) => ended));
    await Promise.all(runs.handing.values());
    await nextTurn();
  }
  expect(here.app.faults).toEqual([]);
}

/** One thing that a person may do; what is refused by name changes nothing. Undefined too when the process was killed meanwhile. */
async function attempt<T>(here: Walk, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await Promise.race([work(), here.app.store.killed.then(() => undefined)]);
  } catch (cause) {
    if (cause instanceof HttpError && cause.status < 500) return undefined;
    throw cause;
  }
}

async function act(here: Walk): Promise<void> {
  const { app, dice } = here;
  const run = await newestRun(here);
  const roll = dice();
  if (roll < 0.45) return void (await send(here, run, dice() < 0.6 ? "next_turn" : "after"));
  if (roll < 0.53) return changeOne(here, run);
  if (roll < 0.58) return takeOneBack(here, run);
  if (roll < 0.62) return void (await attempt(here, () => stopRun(app, run)));
  if (roll < 0.68) return stopThen(here, run);
  if (roll < 0.72) return askNow(here, run);
  if (roll < 0.76) return void (await ask(here));
  if (run.status === "waiting") return answer(here, run);
  if (run.status !== "running" && run.status !== "completed")
    return void (await attempt(here, () => resumeRun(app, run)));
  for (let turns = Math.floor(dice() * 100); turns > 0; turns--) await nextTurn();
}

/** Its words are found again by their name, whatever they are changed to. */
const nameOf = (here: Walk) => `m${++here.names}.`;

async function send(here: Walk, run: RunRow, when: QueuedMessage["when"]): Promise<void> {
  const words = nameOf(here);
  const body = { text: words, when, clientMessageId: `${here.conversationId} ${words}` };
  const queued = await attempt(here, () => queueMessage(here.app, run, body));
  if (queued) here.sent.set(queued.id, new Set([words]));
}

async function stopThen(here: Walk, run: RunRow): Promise<void> {
  const words = nameOf(here);
  const then = { text: words, clientMessageId: `${here.conversationId} ${words}` };
  const asked = await attempt(here, () => stopAndAsk(here.app, run, then));
  if (asked) here.sent.set(asked.messageId, new Set([words]));
}

async function ask(here: Walk): Promise<void> {
  const { app, conversationId } = here;
  await attempt(here, () => chat(app, user, { conversationId, message: { text: `q${++here.names}.` } }));
}

async function waitingOne(here: Walk, run: RunRow): Promise<QueuedMessage | undefined> {
  const list = await attempt(here, () => listQueued(here.app, run));
  const items = list?.items.filter(({ id }) => here.sent.has(id)) ?? [];
  return items[Math.floor(here.dice() * items.length)];
}

async function changeOne(here: Walk, run: RunRow): Promise<void> {
  const one = await waitingOne(here, run);
  if (!one) return;
  const other = await waitingOne(here, run);
  const { dice } = here;
  const words = dice() < 0.5 ? `${one.text}+` : undefined;
  const known = here.sent.get(one.id);
  // While it is under way either may be found.
  if (words) known?.add(words);
  const when = dice() < 0.3 ? "next_turn" : dice() < 0.5 ? "after" : undefined;
  const before = dice() < 0.5 ? undefined : other && other.id !== one.id ? other.id : null;
  const changed = await attempt(here, () =>
    changeQueued(here.app, run, one.id, { text: words, when, before }),
  );
  if (changed && words && !here.now.has(one.id)) here.sent.set(one.id, new Set([words]));
}

async function takeOneBack(here: Walk, run: RunRow): Promise<void> {
  const one = await waitingOne(here, run);
  if (!one) return;
  const wasAsked = here.back.has(one.id);
  if (!wasAsked) here.back.set(one.id, "maybe");
  const isBack = await attempt(here, async () => {
    try {
      await takeBack(here.app, run, one.id);
      return "yes" as const;
    } catch (cause) {
      // Unless it is refused as another one, at the same time, has come first.
      if (!wasAsked && here.back.get(one.id) !== "yes") here.back.delete(one.id);
      throw cause;
    }
  });
  if (isBack) {
    here.back.set(one.id, isBack);
    here.counts.back++;
  }
}

/** What waits is sent as a question at once, with the id that it was queued with. */
async function askNow(here: Walk, run: RunRow): Promise<void> {
  const one = await waitingOne(here, run);
  const row = one && (await here.world.store.queue.get(user, one.id));
  if (!one || !row) return;
  const { conversationId, app } = here;
  const { clientMessageId } = row;
  here.now.add(one.id);
  // Its words are those of the request.
  here.sent.get(one.id)?.add(one.text);
  await attempt(here, () =>
    chat(app, user, { conversationId, clientMessageId, message: { text: one.text } }),
  );
}

async function answer(here: Walk, run: RunRow): Promise<void> {
  const kept = await here.world.store.runs.answers(run.id);
  const [question] = pendingRequests([...(await logOf(here.world, run)), ...kept]);
  if (question?.type !== "approval_request") return;
  const { requestId, reason } = question;
  const unknown = here.dice() < 0.5 ? "retry" : "skip";
  const decision = reason === "outcome_unknown" ? unknown : here.dice() < 0.7 ? "approve" : "deny";
  await attempt(here, () => answerRun(here.app, run, { requestId, decision }));
}

async function newestRun({ world, conversationId }: Walk): Promise<RunRow> {
  const { lastRun } = (await world.store.conversations.get(user, conversationId)) ?? {};
  const run = lastRun && (await world.store.runs.get(user, lastRun.id));
  if (!run) throw new Error("A conversation without a run.");
  return run;
}

async function check(here: Walk): Promise<void> {
  const { world, conversationId, sent, back, now, counts } = here;
  const select = (columns: string) =>
    askStored(
      world.dataDir,
      "records",
      `select ${columns} where conversation_id = '${conversationId}' order by id`,
    ) as Promise<Record<string, string | null>[]>;
  const runs = await select("id from run");
  const rows = await select("id, parent_id, run_id, role, body from message");
  const queue = await select("id, chain_id, kind, state, body from queued_message");
  for (const { id } of runs) await checkRun(here, String(id));
  for (const { id } of rows) await checkBranch(here, String(id));
  const wordsOf = (body: string | null | undefined) =>
    (JSON.parse(body ?? "{}") as UserMessage).parts.map((part) => ("text" in part ? part.text : "")).join("");
  for (const [id, words] of sent) {
    const isBack = back.get(id);
    if (isBack && now.has(id)) continue;
    const told = [...words].join(" or ");
    const named = told.split(".")[0];
    const found = rows.filter(({ role, body }) => role === "user" && wordsOf(body).split(".")[0] === named);
    const waiting = queue.filter((row) => row.state === "waiting" && row.id === id);
    expect(queue.filter(({ state }) => state === "taken")).toEqual([]);
    const times = found.length + waiting.length;
    if (isBack === "yes") expect(times, `${told}, taken back`).toBe(0);
    else if (isBack === "maybe") expect(times, `${told}, perhaps taken back`).toBeLessThanOrEqual(1);
    else expect(times, told).toBe(1);
    for (const row of found) {
      expect(row.id).toBe(id);
      expect([...words]).toContain(wordsOf(row.body));
      if (row.run_id) counts.steered++;
      else counts.asked++;
    }
    counts.waiting += waiting.length;
  }
  // What waits is asked when its turn has come: behind an answer that is complete nothing does.
  for (const { chain_id, state, kind } of queue.filter((row) => row.state === "waiting")) {
    const end = await endOfChain(world, user, String(chain_id));
    expect([state, end?.status]).not.toEqual(["waiting", "completed"]);
    if (end?.status !== "waiting") expect(kind).toBe("after");
  }
}

/** Its log says what its record says, and names what was said into it as its messages do. */
async function checkRun({ world, app }: Walk, id: string): Promise<void> {
  const run = await world.store.runs.get(user, id);
  if (!run?.result) throw new Error(`Run ${id} has no end.`);
  await completeLog({ ...app, store: world.store }, run, true);
  const log = await logOf(world, run);
  expect(log.filter(({ type }) => type === "result")).toHaveLength(1);
  const { rows } = await world.store.messages.branch(run.conversationId, run.parentId);
  const fold = new Transcript(rows.map(({ message }) => message));
  for (const chunk of log) fold.add(chunk);
  const stored = (await messagesOf(world, run)).slice(0, run.result.messages);
  expect(fold.close().delta).toEqual(stored.map(({ message }) => message));
  const saidIn = (all: MessageRow[]) => all.flatMap(({ id, message }) => (message.role === "user" ? id : []));
  expect(log.flatMap((chunk) => (chunk.type === "message" ? chunk.id : []))).toEqual(saidIn(stored));
}

async function checkBranch({ world, conversationId }: Walk, id: string): Promise<void> {
  const { rows } = await world.store.messages.branch(conversationId, id);
  assertAccepted(modelHistory([...rows.map(({ message }) => message), says("x")]));
}

/** Says a word and asks for up to two calls at once; those of `act` are allowed by a rule, `look` only reads. */
function randomModel(seed: number, dice: Dice): Provider {
  let ids = 0;
  return {
    async *stream({ history, signal }) {
      assertAccepted(modelHistory(history));
      for (let turns = Math.floor(dice() * 20); turns > 0; turns--) {
        await nextTurn();
        signal.throwIfAborted();
      }
      yield text("t");
      const calls = dice() < 0.6 && ids < 30 ? 1 + Math.floor(dice() * 2) : 0;
      for (let count = 0; count < calls; count++) {
        const id = `s${seed}-${ids++}`;
        const roll = dice();
        yield call(id, roll < 0.3 ? "desk__work" : roll < 0.6 ? "desk__act" : "desk__look", { n: ids });
      }
      yield stop(calls > 0 ? "tool_use" : "end_turn");
    },
  };
}
