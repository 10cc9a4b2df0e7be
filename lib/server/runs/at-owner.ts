import { HttpError, overloaded } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { Commands } from "@/lib/store/command-ports";
import type { Store } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";
import type { Answering, Given } from "./answering";
import type { AnswerRequest } from "./read-answer";

/** What a process can be asked to do to a run that it drives: what it is told, and what comes of it. */
export interface CommandKinds {
  stop: { body: null; answer: null };
  answer: { body: { request: AnswerRequest; by: Answering }; answer: Given };
  cancel_call: { body: { callId: string }; answer: null };
  set_step: { body: { isOn: boolean }; answer: null };
  take_plan_back: { body: null; answer: null };
  /** Gives the run that continues it. */
  resume: { body: null; answer: RunRow };
  /** Of a run that waits no more: nobody will answer what its calls ask. */
  release_calls: { body: { ids: readonly string[] }; answer: null };
  /** Messages may wait for it: it looks for them from now on. */
  expect_messages: { body: null; answer: null };
}

export type CommandKind = keyof CommandKinds;

type BodyOf<Kind extends CommandKind> = CommandKinds[Kind]["body"];
type AnswerOf<Kind extends CommandKind> = CommandKinds[Kind]["answer"];

/** What came of a command, as it is stored. */
export type Outcome =
  | { answer: unknown }
  | { error: Pick<HttpError, "status" | "code" | "message" | "details" | "retryAfterSeconds"> };

/** So long a person waits for what is done elsewhere, but for Stop. */
export const answeredWithinMs = 5_000;

/**
 * Does something to a run where it is driven, or where a call of it is under way while it waits: by `here` where that is this
 * process, or no other one (any more). 503 when the other one does not answer; then it is done only where it has begun already.
 */
export async function atOwner<Kind extends CommandKind>(
  deps: Pick<RunDeps, "store" | "runs">,
  row: RunRow,
  { kind, body }: { kind: Kind; body: BodyOf<Kind> },
  here: () => Promise<AnswerOf<Kind>>,
): Promise<AnswerOf<Kind>> {
  const mayBeElsewhere = row.status === "running" ? !deps.runs.get(row.id) : isHeldElsewhere(deps, row);
  if (!mayBeElsewhere) return here();
  const asked = await askOwner(deps, row.id, kind, body, answeredWithinMs);
  if (asked === "late") throw notAnswering();
  return asked === "nobody" ? here() : asked.answer;
}

/** Whether it waits while another process has a call of it under way, which only that one can go on with. */
export const isHeldElsewhere = ({ store }: Pick<RunDeps, "store">, { status, heldBy }: RunRow): boolean =>
  status === "waiting" && heldBy !== undefined && heldBy !== store.members.id;

const notAnswering = () =>
  new HttpError(
    503,
    "not_answering",
    "The process that writes this answer does not respond; reload to see whether it was done, or try again in a few seconds.",
    undefined,
    5,
  );

/** What is to be done although nobody waits for it. */
const staysOpen = new Set<CommandKind>(["stop", "release_calls"]);

type Asked<Answer> = { answer: Answer } | "nobody" | "late";

/**
 * Asks the process that drives the run, and waits for what comes of it: `nobody` when no other process drives it, and `late`
 * when nothing has come in `waitMs`: a Stop is done as soon as it can be, of all else only what has begun. Throws what is
 * thrown there, and 503 when too much is open.
 */
export async function askOwner<Kind extends CommandKind>(
  { store }: Pick<RunDeps, "store">,
  runId: string,
  kind: Kind,
  body: BodyOf<Kind>,
  waitMs: number,
): Promise<Asked<AnswerOf<Kind>>> {
  const { commands } = store;
  if (!commands) return "nobody";
  const id = newId();
  const given = await commands.give({ id, runId, kind, body: JSON.stringify(body) });
  if (given === "nobody") return "nobody";
  if (given === "full")
    throw overloaded("The process that writes this answer has too much to do; try again soon.");
  const outcome = await outcomesOf(store, commands).wait(id, waitMs);
  if (!outcome) {
    // What has begun goes on.
    if (!staysOpen.has(kind)) await commands.withdraw(id);
    return "late";
  }
  if ("answer" in outcome) return { answer: outcome.answer as AnswerOf<Kind> };
  const { status, code, message, details, retryAfterSeconds } = outcome.error;
  throw new HttpError(status, code, message, details, retryAfterSeconds);
}

/** For hints that are lost. */
const lookMs = 500;

/** One look at the database for all that is waited for here. */
class Outcomes {
  private readonly waiters = new Map<string, (outcome: Outcome | undefined) => void>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isStale = false;

  constructor(
    private readonly store: Pick<Store, "bus" | "members">,
    private readonly commands: Commands,
  ) {}

  /** Undefined when nothing has come in time. */
  async wait(id: string, ms: number): Promise<Outcome | undefined> {
    const { bus, members } = this.store;
    const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
    this.waiters.set(id, resolve);
    const timer = setTimeout(resolve, ms, undefined);
    const unsubscribe = bus.subscribe(`instance:${members.id}`, (body) => {
      if (body !== "asked") this.lookIn(0);
    });
    this.lookIn(0);
    try {
      return await promise;
    } finally {
      unsubscribe();
      clearTimeout(timer);
      this.waiters.delete(id);
      if (this.waiters.size === 0) clearTimeout(this.timer);
    }
  }

  /** At once, when something may have come; a look that is under way is followed by another one. */
  private lookIn(ms: number): void {
    this.isStale ||= ms === 0;
    if (this.isLooking || this.waiters.size === 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), ms);
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    this.isStale = false;
    try {
      const come = await this.commands.collect([...this.waiters.keys()]);
      for (const [id, outcome] of come) this.waiters.get(id)?.(JSON.parse(outcome));
    } catch {
      // While the database is away nothing has come.
      this.isStale = false;
    }
    this.isLooking = false;
    this.lookIn(this.isStale ? 0 : lookMs);
  }
}

const byCommands = new WeakMap<Commands, Outcomes>();

function outcomesOf(store: Pick<Store, "bus" | "members">, commands: Commands): Outcomes {
  const known = byCommands.get(commands) ?? new Outcomes(store, commands);
  byCommands.set(commands, known);
  return known;
}
