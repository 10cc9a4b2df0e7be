import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "@/lib/server/http/errors";
import { answerOf } from "@/lib/server/http/failure";
import { asPerson, type RunDeps } from "@/lib/server/loop/run-deps";
import type { CommandRow } from "@/lib/store/command-ports";
import { mayPass } from "@/lib/store/errors";
import type { RunRow } from "@/lib/store/types";
import { answerHere } from "./answer-run";
import { answeredWithinMs, type CommandKind, type CommandKinds, type Outcome } from "./at-owner";
import { expectHere } from "./expect-messages";
import { resumeHere } from "./resume-run";
import { setStepHere } from "./set-step";
import { cancelHere, stopHere } from "./stop-run";
import { takePlanBackHere } from "./take-plan-back";

/** For hints that are lost. */
const lookMs = 500;
const sweepMs = 30_000;

type Work = {
  [Kind in CommandKind]: (
    deps: RunDeps,
    row: RunRow,
    body: CommandKinds[Kind]["body"],
  ) => Promise<CommandKinds[Kind]["answer"]>;
};

/** By the functions that routes use where the run is driven. */
const work: Work = {
  stop: async (deps, row) => {
    await stopHere(deps, row);
    return null;
  },
  answer: (deps, row, { request, by }) => answerHere(deps, row, request, by),
  cancel_call: (deps, row, { callId }) => cancelHere(deps, row, callId),
  set_step: (deps, row, { isOn }) => setStepHere(deps, row, isOn),
  take_plan_back: takePlanBackHere,
  resume: resumeHere,
  release_calls: async ({ inFlight }, _row, { ids }) => {
    for (const id of ids) inFlight.release(id);
    return null;
  },
  expect_messages: async (deps, row) => {
    expectHere(deps, row);
    return null;
  },
};

const isKnown = (kind: string): kind is CommandKind => Object.hasOwn(work, kind);

/** Does what other processes are asked to do to runs that this one drives. Each was checked where it came in. */
export class RunCommands {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private readonly underWay = new Map<string, Promise<void>>();
  /** They may have given something before they went. */
  private hadOthers = true;
  private sweptAt = performance.now();
  private isClosed = false;
  private isLooking = false;
  /** Whether a hint has come since the last look began. */
  private isAsked = false;
  private unsubscribe: () => void = () => {};

  constructor(
    private readonly deps: RunDeps,
    /** Told of each one that is answered. */
    private readonly onAnswered: (kind: string, outcome: "done" | "refused") => void = () => {},
  ) {}

  start(): void {
    if (this.isClosed || !this.deps.store.commands) return;
    const { bus, members } = this.deps.store;
    // The id becomes another one when others have taken over.
    this.unsubscribe();
    this.unsubscribe = bus.subscribe(`instance:${members.id}`, (body) => {
      // Without a body: hints may have been missed.
      if (body !== "answered") this.lookNow();
    });
    this.lookIn(this.isAsked ? 0 : lookMs);
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unsubscribe();
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all(this.underWay.values());
  }

  private lookNow(): void {
    this.isAsked = true;
    if (!this.isLooking) this.lookIn(0);
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.looking = this.look().then(() => this.start());
    }, ms).unref();
  }

  private async look(): Promise<void> {
    const { members } = this.deps.store;
    const { hasOthers } = members;
    const isNeeded = hasOthers || this.hadOthers || this.isAsked;
    this.isAsked = false;
    this.isLooking = true;
    try {
      if (isNeeded) await this.take();
      this.hadOthers = hasOthers;
    } catch (err) {
      this.deps.log.warn({ err }, "it could not be looked for what other processes ask; it is tried again");
    } finally {
      this.isLooking = false;
    }
  }

  private async take(): Promise<void> {
    const { commands } = this.deps.store;
    if (!commands) return;
    // What cannot be done yet must hold nothing else up; how much is open for one process has a bound.
    const early: string[] = [];
    for (let isMore = true; isMore && !this.isClosed; ) {
      const due = await commands.due([...this.underWay.keys(), ...early]);
      const before = early.length;
      for (const command of due)
        if (this.isEarly(command)) early.push(command.id);
        else this.begin(command);
      isMore = early.length > before;
    }
    if (performance.now() - this.sweptAt < sweepMs) return;
    this.sweptAt = performance.now();
    await commands.sweep();
  }

  /** Its run is being begun, or is given its end: its time has not come, or `recover` answers. */
  private isEarly({ run }: CommandRow): boolean {
    return run.status === "running" && !this.deps.runs.get(run.id);
  }

  private begin(command: CommandRow): void {
    const done = this.carryOut(command).finally(() => this.underWay.delete(command.id));
    this.underWay.set(command.id, done);
  }

  private async carryOut({ id, kind, body, run }: CommandRow): Promise<void> {
    const { runs, log } = this.deps;
    try {
      const outcome = await this.outcomeOf(runs.get(run.id)?.row ?? run, kind, JSON.parse(body));
      await this.settle(id, JSON.stringify(outcome));
      this.onAnswered(isKnown(kind) ? kind : "(unknown)", "answer" in outcome ? "done" : "refused");
    } catch (err) {
      log.error({ err, runId: run.id, kind }, "what another process has asked for is not answered");
    }
  }

  /** What is not told would be done again: it is tried for as long as somebody waits. */
  private async settle(id: string, outcome: string): Promise<void> {
    const until = performance.now() + answeredWithinMs;
    for (;;)
      try {
        return await this.deps.store.commands?.settle(id, outcome);
      } catch (cause) {
        if (this.isClosed || !mayPass(cause) || performance.now() > until) throw cause;
        await sleep(lookMs, undefined, { ref: false });
      }
  }

  private async outcomeOf(row: RunRow, kind: string, body: unknown): Promise<Outcome> {
    const { pool, log } = this.deps;
    const release = pool.hold(row.userId);
    try {
      // One of a newer version may ask for what this one does not know.
      if (!isKnown(kind)) throw unknownKind();
      const known = work[kind] as (deps: RunDeps, row: RunRow, body: unknown) => Promise<unknown>;
      return { answer: await known(asPerson(this.deps, row.userId), row, body) };
    } catch (cause) {
      return { error: fieldsOf(answerOf(cause, (err) => log.error({ err, kind }, "request failed"))) };
    } finally {
      release();
    }
  }
}

const fieldsOf = ({ status, code, message, details, retryAfterSeconds }: HttpError) => ({
  ...{ status, code, message, details, retryAfterSeconds },
});

const unknownKind = () =>
  new HttpError(
    503,
    "other_version",
    "The process that writes this answer has another version of Meguri; try again when the answer has ended.",
    undefined,
    5,
  );
