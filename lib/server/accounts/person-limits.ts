import type { DayBudget } from "@/lib/agent/budget-usage";
import { RunError } from "@/lib/agent/ports";
import type { Role } from "@/lib/protocol/accounts";
import {
  changeLimits,
  type DayUse,
  dayOf,
  type PersonLimits,
  type SharedLimits,
} from "@/lib/protocol/person-limits";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { SharedLimitsPatch } from "@/lib/server/contract/limits";
import { HttpError } from "@/lib/server/http/errors";

export const limitsKey = "limits";
const nothing: SharedLimits = { admin: {}, member: {}, retention: {} };

type LimitDeps = Pick<BaseDeps, "store"> & { env: Pick<BaseDeps["env"], "AUTH" | "ATTACHMENTS_MAX_MB"> };
type Own = { role: Role; limits: PersonLimits };
/** Of a run that goes on, what it has used on its newest day. */
type RunUse = DayUse & { userId: string };

/** What people may use, and what they have used today. In memory, as each run asks before each of its turns. */
export class Limits {
  private readonly people = new Map<string, Own>();
  /** By person, what runs that have ended used today; those of an earlier day are over. */
  private readonly today = new Map<string, Promise<DayUse>>();
  /** What runs of this process have used beside. */
  private readonly running = new Map<DayBudget, RunUse>();
  /** Goes up with each change of a person: what was read before it is not kept. */
  private changes = 0;
  /** Of those that hold for everybody, how many there were. */
  private sharedChanges = 0;
  private day: string;

  private constructor(
    private readonly deps: LimitDeps,
    private kept: SharedLimits,
    private readonly now: () => number,
  ) {
    this.day = dayOf(now());
  }

  static async open(deps: LimitDeps, now: () => number = Date.now): Promise<Limits> {
    const kept = await deps.store.settings.get<SharedLimits>("system", limitsKey);
    return new Limits(deps, { ...nothing, ...kept }, now);
  }

  /** Another process may have changed those of everybody. */
  async reread(): Promise<void> {
    for (;;) {
      const { sharedChanges } = this;
      const stored = await this.deps.store.settings.reread<SharedLimits>("system", limitsKey);
      // Read before a change of our own that is in force by now.
      if (sharedChanges !== this.sharedChanges) continue;
      this.kept = { ...nothing, ...stored };
      return;
    }
  }

  get shared(): SharedLimits {
    return this.kept;
  }

  async changeShared({ admin, member, retention }: SharedLimitsPatch): Promise<SharedLimits> {
    const next = await this.deps.store.settings.update(
      "system",
      limitsKey,
      (stored: SharedLimits = nothing): SharedLimits => ({
        admin: changeLimits(stored.admin, admin ?? {}),
        member: changeLimits(stored.member, member ?? {}),
        retention: retention ? (retention.days === null ? {} : { days: retention.days }) : stored.retention,
      }),
    );
    this.sharedChanges += 1;
    this.kept = { ...nothing, ...next };
    return this.kept;
  }

  /** In force for this person: their own, and behind them those of their role. */
  async of(userId: string): Promise<PersonLimits> {
    if (this.deps.env.AUTH === "local") return {};
    const own = this.people.get(userId) ?? (await this.read(userId));
    return own ? this.inForce(own) : {};
  }

  inForce({ role, limits }: Own): PersonLimits {
    return { ...this.kept[role], ...limits };
  }

  /** After a change of what this person may do. */
  forget(userId: string): void {
    this.changes += 1;
    this.people.delete(userId);
  }

  /** After changes of anybody. */
  forgetAll(): void {
    this.changes += 1;
    this.people.clear();
    this.today.clear();
  }

  /** How many answers this person may have written at the same time; 429 where today's use is spent. */
  async mostRuns(userId: string): Promise<number> {
    const limits = await this.of(userId);
    const spent = spentOf(limits, await this.usedToday(userId));
    if (spent !== undefined)
      throw new HttpError(429, "day_limit", spent, undefined, secondsToMidnight(this.now()));
    return limits.runs ?? Number.POSITIVE_INFINITY;
  }

  /** How much all attached files of this person may take together. */
  async bytes(userId: string): Promise<number> {
    const all = this.deps.env.ATTACHMENTS_MAX_MB * 1024 * 1024;
    return Math.min(all, (await this.of(userId)).bytes ?? all);
  }

  /** Counts what a run uses, and lets it begin no turn that the limits of its person forbid, also new ones. */
  async dayBudget(userId: string): Promise<DayBudget> {
    await this.usedToday(userId);
    const use: RunUse = { userId, day: dayOf(this.now()), tokens: 0, cost: 0 };
    const budget: DayBudget = {
      add: ({ inputTokens, outputTokens, cost = 0 }) => {
        const day = dayOf(this.now());
        if (use.day !== day) Object.assign(use, { day, tokens: 0, cost: 0 });
        use.tokens += inputTokens + outputTokens;
        use.cost += cost;
      },
      assertLeft: async () => {
        const spent = spentOf(await this.of(userId), await this.usedToday(userId));
        if (spent !== undefined) throw new RunError("day_limit", spent);
      },
    };
    this.running.set(budget, use);
    return budget;
  }

  /** The run with this budget has ended: what it has used is stored with it. */
  noteEnd(budget: DayBudget | undefined): void {
    const use = budget && this.running.get(budget);
    if (!use) return;
    this.running.delete(budget);
    if (this.deps.store.members.mayBeMany) this.forgetToday(use.userId);
    else if (use.day === this.day)
      void this.today.get(use.userId)?.then(
        (ended) => addUse(ended, use),
        () => {},
      );
  }

  /** Another process has stored the end of a run of this person. */
  forgetToday(userId: string): void {
    this.today.delete(userId);
  }

  /** What this person has used since midnight UTC; of runs that go on those of this process are included. */
  async usedToday(userId: string): Promise<DayUse> {
    const used = { ...(await this.endedToday(userId)) };
    for (const use of this.running.values())
      if (use.userId === userId && use.day === used.day) addUse(used, use);
    return used;
  }

  private endedToday(userId: string): Promise<DayUse> {
    const day = dayOf(this.now());
    if (day !== this.day) {
      this.day = day;
      this.today.clear();
    }
    const known = this.today.get(userId);
    if (known) return known;
    const read = this.deps.store.usageDays
      .of(userId, day)
      .then(([used]) => used ?? { day, tokens: 0, cost: 0 });
    // One that could not be read is read again.
    read.catch(() => {
      if (this.today.get(userId) === read) this.today.delete(userId);
    });
    this.today.set(userId, read);
    return read;
  }

  private async read(userId: string): Promise<Own | undefined> {
    const before = this.changes;
    const person = await this.deps.store.accounts.person(userId);
    if (person && before === this.changes) this.people.set(userId, person);
    return person;
  }
}

function addUse(sum: DayUse, { tokens, cost }: DayUse): void {
  sum.tokens += tokens;
  sum.cost += cost;
}

/** Why no turn may begin, in words; undefined where one may. */
function spentOf({ tokensPerDay, costPerDay }: PersonLimits, { tokens, cost }: DayUse): string | undefined {
  if (tokensPerDay !== undefined && tokens >= tokensPerDay)
    return `You have reached today's limit of ${tokensPerDay} tokens; go on after midnight UTC, or ask an admin for more.`;
  if (costPerDay !== undefined && cost >= costPerDay)
    return `You have reached today's limit of $${costPerDay}; go on after midnight UTC, or ask an admin for more.`;
  return undefined;
}

const secondsToMidnight = (now: number): number => 24 * 3600 - (Math.floor(now / 1000) % (24 * 3600));
