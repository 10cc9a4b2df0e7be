import { setTimeout as sleep } from "node:timers/promises";
import type fc from "fast-check";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { RunItem } from "@/lib/protocol/http";
import { apiOf } from "../api";
import type { Following } from "../follow-stream";
import { expect } from "../server-test";
import type { WatchedApp } from "./watched-app";

/** Where a conversation stands. `unknown`: a call was out when the process died, and a person is asked about it. */
type Phase = "idle" | "asking" | "calling" | "interrupted" | "unknown";

/** What must be true of a conversation after all that was done in it. */
export interface Model {
  phase: Phase;
  questions: number;
  notes: number;
  /** By key of its call: how often a person has let it go. */
  allowed: Map<string, number>;
}

/** The conversation in an application, driven over HTTP. */
export class Conversation {
  reader: Following | undefined;
  runId = "";
  key = "";
  kills = 0;

  private constructor(
    readonly watched: WatchedApp,
    readonly id: string,
    /** Keys of calls must differ between the conversations of one application. */
    readonly name: string,
  ) {}

  static async begin(watched: WatchedApp, name: string): Promise<Conversation> {
    watched.gated.close();
    const { id } = await apiOf(watched.app).post<{ id: string }>("/api/conversations");
    return new Conversation(watched, id, name);
  }

  async ask(text: string): Promise<void> {
    this.key = text;
    const reader = await this.watched.history.ask(text, { conversationId: this.id });
    if (!reader)
      throw new Error(`The question was refused: ${JSON.stringify(this.watched.history.refusals.at(-1))}`);
    this.reader = reader;
    this.runId = reader.runId;
  }

  /** The newest run, if the conversation has one. */
  async newest(): Promise<RunItem | undefined> {
    const { runs } = await apiOf(this.watched.app).conversation(this.id);
    return runs.at(-1);
  }

  async pending(): Promise<PendingRequest | undefined> {
    return (await apiOf(this.watched.app).run(this.runId)).pending[0];
  }

  /** Answers what is asked; returns whether that was acknowledged. */
  async answer(decision: string, more: object = {}): Promise<boolean> {
    const question = await this.pending();
    const response = await this.watched.history.answer(this.runId, {
      ...{ requestId: question?.requestId, decision },
      ...more,
    });
    if (!response.ok) return false;
    const { runId } = (await response.json()) as { runId: string | null };
    if (runId) this.runId = runId;
    return true;
  }

  /** How often the call with this key has reached the server. */
  ran(key: string): number {
    return this.watched.gated.lines().filter(({ event, args }) => event === "call" && args?.key === key)
      .length;
  }

  async status(): Promise<string | undefined> {
    return (await this.newest())?.status;
  }

  async restart(): Promise<void> {
    this.kills++;
    await this.watched.app.kill9();
    await this.watched.app.restart();
    await this.watched.ready();
  }
}

type Step = fc.AsyncCommand<Model, Conversation>;

/** A command that is possible in some phases. */
function step(name: string, phases: readonly Phase[], run: Step["run"]): Step {
  return {
    check: ({ phase }) => phases.includes(phase),
    async run(model, real) {
      await run(model, real);
      await agree(model, real);
    },
    toString: () => name,
  };
}

const statusOf: Record<Exclude<Phase, "idle">, string> = {
  asking: "waiting",
  unknown: "waiting",
  calling: "running",
  interrupted: "interrupted",
};

/** The application stands where the model does, and nothing has run that nobody allowed. */
async function agree({ phase, allowed }: Model, real: Conversation): Promise<void> {
  if (phase !== "idle") await expect.poll(() => real.status()).toBe(statusOf[phase]);
  else await expect.poll(async () => (await real.status()) ?? "stopped").toMatch(/^(completed|stopped)$/);
  for (const [key, times] of allowed)
    expect(real.ran(key), `how often ${key} ran`).toBeLessThanOrEqual(times);
}

const allow = ({ allowed }: Model, key: string) => allowed.set(key, (allowed.get(key) ?? 0) + 1);

async function send(model: Model, real: Conversation): Promise<void> {
  const key = `${real.name}-${++model.questions}`;
  model.allowed.set(key, 0);
  await real.ask(key);
}

async function letGo(model: Model, real: Conversation, decision: "approve" | "retry"): Promise<boolean> {
  allow(model, real.key);
  return await real.answer(decision);
}

/** The call comes back, and the run to its end. */
async function release(real: Conversation): Promise<void> {
  const { gated, quiet } = real.watched;
  gated.open();
  await quiet();
  gated.close();
}

const sends = step("send", ["idle"], async (model, real) => {
  await send(model, real);
  model.phase = "asking";
});

const approves = step("approve", ["asking"], async (model, real) => {
  const before = real.ran(real.key);
  expect(await letGo(model, real, "approve")).toBe(true);
  await expect.poll(() => real.ran(real.key)).toBe(before + 1);
  model.phase = "calling";
});

const denies = step("deny", ["asking"], async (model, real) => {
  expect(await real.answer("deny", { reason: "Not now." })).toBe(true);
  await real.watched.quiet();
  model.phase = "idle";
});

const returns = step("return", ["calling"], async (model, real) => {
  await release(real);
  model.phase = "idle";
});

const steers = step("steer", ["asking", "calling"], async (model, real) => {
  if (model.notes >= 5) return;
  const answer = await real.watched.history.steer(real.runId, `note ${real.name}-${++model.notes}`);
  expect(answer.status).toBe(202);
});

const stops = step("stop", ["asking", "calling"], async (model, real) => {
  expect((await real.watched.history.stop(real.runId)).status).toBe(200);
  await real.watched.quiet();
  model.phase = "idle";
});

const disconnects = step("disconnect", ["asking", "calling", "unknown"], async (_model, real) => {
  const seen = real.reader?.events.findLast((event) => "id" in event);
  real.reader?.leave();
  const isSame = real.reader?.runId === real.runId;
  real.reader = await real.watched.history.follow(real.runId, isSame && seen && "id" in seen ? seen.id : 0);
});

const kills = step("kill", ["idle", "asking", "calling", "interrupted", "unknown"], async (model, real) => {
  await real.restart();
  if (model.phase === "calling") model.phase = "interrupted";
});

function nextStep(model: Model, real: Conversation): Promise<unknown> {
  if (model.phase === "idle") return send(model, real);
  if (model.phase === "asking") return letGo(model, real, "approve");
  if (model.phase === "unknown") return letGo(model, real, "retry");
  return Promise.resolve(real.watched.gated.open());
}

/** Kills it while something is being done, of which nobody knows how far it came. */
const killsAmid = (ms: number): Step =>
  step(`kill ${ms} ms after the next step`, ["idle", "asking", "calling", "unknown"], async (model, real) => {
    const before = model.phase;
    const ran = real.ran(real.key);
    let isAcknowledged = false;
    const doing = nextStep(model, real).then(
      (answer) => {
        isAcknowledged = answer !== false;
      },
      () => {},
    );
    await sleep(ms);
    await real.restart();
    await doing;
    real.watched.gated.close();
    const newest = await real.newest();
    if (newest) real.runId = newest.id;
    if (before === "asking" && isAcknowledged)
      expect(newest?.status, "an answer that was acknowledged").not.toBe("waiting");
    // Of several processes another one may go on with what was being done.
    model.phase = await phaseNow(real, real.watched.app.isSeveral && ran);
  });

const resumes = step("resume", ["interrupted"], async (model, real) => {
  const response = await real.watched.history.resume((await real.newest())?.id ?? "");
  expect(response.status).toBe(200);
  real.runId = ((await response.json()) as { runId: string }).runId;
  const before = real.ran(real.key);
  // A call that was allowed and had not gone yet goes now.
  model.phase = await phaseNow(real, before);
});

const retries = step("retry", ["unknown"], async (model, real) => {
  const before = real.ran(real.key);
  expect(await letGo(model, real, "retry")).toBe(true);
  await expect.poll(() => real.ran(real.key)).toBe(before + 1);
  model.phase = "calling";
});

const skips = step("skip", ["unknown"], async (model, real) => {
  expect(await real.answer("skip")).toBe(true);
  await real.watched.quiet();
  model.phase = "idle";
});

/**
 * What the application says; `agree` has looked at what it may say. A run that goes on without a call beyond the `ran` that
 * were seen ends by itself, and a message that was left over may be a run of its own after it.
 */
async function phaseNow(real: Conversation, ran = real.ran(real.key)): Promise<Phase> {
  let phase: Phase = "calling";
  await expect
    .poll(async () => {
      phase = await phaseOnce(real);
      return phase !== "calling" || real.ran(real.key) > ran;
    })
    .toBe(true);
  return phase;
}

async function phaseOnce(real: Conversation): Promise<Phase> {
  const status = await real.status();
  if (status === "running") return "calling";
  if (status === "interrupted") return "interrupted";
  if (status !== "waiting") return "idle";
  const question = await real.pending();
  return question?.type === "approval_request" && question.reason === "outcome_unknown"
    ? "unknown"
    : "asking";
}

/** All commands, those that kill more often than others; `ms` draws after how long. */
export const commands = (arbitrary: typeof fc): fc.Arbitrary<Step>[] => [
  ...[sends, approves, returns, resumes, retries, steers, denies, stops, disconnects, skips].map((command) =>
    arbitrary.constant(command),
  ),
  ...[kills, kills].map((command) => arbitrary.constant(command)),
  ...[1, 2, 3].map(() => arbitrary.integer({ min: 0, max: 60 }).map(killsAmid)),
];
