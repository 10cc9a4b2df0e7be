import { type HookOffReason, hookWaitsMs } from "@/lib/protocol/hooks";
import type { BaseDeps } from "@/lib/server/base-deps";
import { isStoreError } from "@/lib/server/http/store-failure";
import { localUser } from "@/lib/server/ids";
import { tellOwner } from "@/lib/store/bus";
import { type Attempt, type DeliveryRow, keptDeliveries } from "@/lib/store/hook-ports";
import { HookNetwork } from "./hook-network";
import { hookPayload } from "./hook-payload";
import { hookHeaders } from "./sign-hook";
import { changeHooks, type OpenHook, readHooks } from "./stored-hooks";

export type HookDeps = Pick<BaseDeps, "env" | "store" | "secrets" | "log">;

/** `again`: another attempt follows. */
export type AttemptOutcome = "arrived" | "again" | "failed";

interface SenderOptions {
  waitsMs?: readonly number[];
  timeoutMs?: number | undefined;
  onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
}

/** Attempts that go on at once in this process, and of them to one hook. */
const [mostAtOnce, mostOfHook] = [32, 4];
/** So long nobody else begins an attempt: longer than one takes, with room for a store that is slow. */
const claimMs = 30_000;
/** Between two looks for what others have left: where others may be there, and where nobody can be. */
const [sharedLookMs, lookMs] = [5_000, 60_000];
/** After a fault of the store, which otherwise each attempt would meet at once. */
const pauseMs = 5_000;

/**
 * Sends the deliveries that wait for hooks, each at least once. An attempt begins with an update that only one of several processes
 * can make; where that process dies before the attempt has ended, another attempt follows.
 */
export class HookSender {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isAsked = false;
  private isClosed = false;
  private pausedUntil = 0;
  private unlisten = () => {};
  /** By id, with their hooks. */
  private readonly underWay = new Map<string, { hookId: string; done: Promise<void> }>();
  private readonly networks: Record<"operator" | "member", HookNetwork>;

  private readonly waitsMs: readonly number[];
  private readonly onAttempt: (outcome: AttemptOutcome) => void;

  /** `waitsMs`: between attempts, of which there is one more. `onAttempt` is told of each one that was sent and settled here. */
  constructor(
    private readonly deps: HookDeps,
    { waitsMs = hookWaitsMs, timeoutMs, onAttempt = () => {} }: SenderOptions = {},
  ) {
    this.waitsMs = waitsMs;
    this.onAttempt = onAttempt;
    const { PRIVATE_HOSTS, MEMBERS_PRIVATE_HOSTS } = deps.env;
    this.networks = {
      operator: new HookNetwork({ allowed: PRIVATE_HOSTS, isDiscreet: false }, timeoutMs),
      member: new HookNetwork({ allowed: MEMBERS_PRIVATE_HOSTS, isDiscreet: true }, timeoutMs),
    };
  }

  start(): void {
    this.unlisten = this.deps.store.hookDeliveries.onAdded(() => this.wake());
    this.wake();
  }

  /** Begins nothing more, and waits for no answer: what is under way is sent again by whoever comes next. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.unlisten();
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all(Object.values(this.networks).map((network) => network.close()));
    await Promise.all([...this.underWay.values()].map(({ done }) => done));
  }

  /** Looks for what is due, after the look that may be under way. */
  private wake(): void {
    if (this.isAsked || this.isClosed) return;
    this.isAsked = true;
    this.looking = this.looking.then(async () => {
      this.isAsked = false;
      if (this.isClosed) return;
      clearTimeout(this.timer);
      const waitMs = await this.look();
      // Somebody may have asked meanwhile: then it is looked again at once.
      if (!this.isClosed) this.timer = setTimeout(() => this.wake(), waitMs).unref();
    });
  }

  /** Gives when to look again. */
  private async look(): Promise<number> {
    const { store, log } = this.deps;
    const longest = store.members.mayBeMany ? sharedLookMs : lookMs;
    try {
      const room = mostAtOnce - this.underWay.size;
      // An attempt that ends wakes it.
      if (room <= 0) return longest;
      const now = Date.now();
      if (now < this.pausedUntil) return this.pausedUntil - now;
      const due = await store.hookDeliveries.due(now, { each: mostOfHook, limit: 4 * mostAtOnce });
      for (const row of due) if (this.hasRoom(row)) this.begin(row);
      // What is due and has no place begins when an attempt ends.
      const next = await store.hookDeliveries.nextAt(now);
      return Math.min(longest, (next ?? Number.POSITIVE_INFINITY) - now);
    } catch (err) {
      log.warn({ err }, "it could not be looked for what hooks are to be told; it is tried again");
      return longest;
    }
  }

  private hasRoom({ id, hookId }: DeliveryRow): boolean {
    if (this.isClosed || this.underWay.size >= mostAtOnce || this.underWay.has(id)) return false;
    const ofHook = [...this.underWay.values()].filter((each) => each.hookId === hookId);
    return ofHook.length < mostOfHook;
  }

  private begin(row: DeliveryRow): void {
    const done = this.deliver(row)
      .catch((err) => {
        this.pausedUntil = Date.now() + pauseMs;
        this.deps.log.warn({ err, delivery: row.id }, "a hook was not told; it is tried again");
      })
      .finally(() => {
        this.underWay.delete(row.id);
        this.wake();
      });
    this.underWay.set(row.id, { hookId: row.hookId, done });
  }

  private async deliver(row: DeliveryRow): Promise<void> {
    const { store } = this.deps;
    const began = performance.now();
    if (!(await store.hookDeliveries.claim(row, Date.now() + claimMs))) return;
    const attempt = row.attempts + 1;
    const hook = (await readHooks(this.deps, row.userId)).find(({ id }) => id === row.hookId);
    const network = await this.networkOf(row.userId);
    const body = await this.bodyOf(row);
    if (!hook || !network || body === undefined) return store.hookDeliveries.delete(row.id);
    if (!hook.enabled && row.event !== "hook.test") return store.hookDeliveries.stop(hook.id);
    // This process may have stood still, and another one have begun.
    if (performance.now() - began > claimMs / 2) return;
    const last = await network.post(
      hook.url,
      body,
      hookHeaders(hook.secret, { id: row.id, at: Date.now(), body }),
    );
    if (this.isClosed && last.status === null) return;
    await this.settle({ ...row, attempts: attempt }, hook, last);
  }

  /** Undefined also for what cannot be read: each attempt would fail alike, and others' would wait after it. */
  private bodyOf(row: DeliveryRow): Promise<string | undefined> {
    return hookPayload(this.deps, row).catch((err) => {
      if (!isStoreError(err) || err.code !== "broken_row") throw err;
      this.deps.log.error({ err, delivery: row.id }, "a hook is not told of what cannot be read");
      return undefined;
    });
  }

  /** What the role of this person may reach; undefined for somebody who is gone or may not sign in. */
  private async networkOf(userId: string): Promise<HookNetwork | undefined> {
    const { env, store } = this.deps;
    if (env.AUTH === "local") return userId === localUser ? this.networks.operator : undefined;
    const person = await store.accounts.person(userId);
    if (!person || person.disabled) return undefined;
    return this.networks[person.role === "admin" ? "operator" : "member"];
  }

  private async settle(row: DeliveryRow, hook: OpenHook, last: Attempt): Promise<void> {
    const { store } = this.deps;
    const { status } = last;
    const hasArrived = status !== null && status >= 200 && status < 300;
    const waitMs =
      hasArrived || status === 410 || row.event === "hook.test" ? undefined : this.waitsMs[row.attempts - 1];
    const state = hasArrived ? "arrived" : waitMs === undefined ? "failed" : "waiting";
    await store.hookDeliveries.settle(row.id, row.attempts, {
      state,
      nextAt: waitMs === undefined ? null : Date.now() + waitMs,
      last,
    });
    this.onAttempt(state === "waiting" ? "again" : state);
    const reason = hasArrived || waitMs !== undefined ? undefined : await this.reasonToStop(row, status);
    if (reason) await this.switchOff(hook, row.userId, reason);
    if (waitMs === undefined) await store.hookDeliveries.prune(hook.id, keptDeliveries);
  }

  private async reasonToStop(
    { event, hookId, createdAt }: DeliveryRow,
    status: number | null,
  ): Promise<HookOffReason | undefined> {
    if (event === "hook.test") return undefined;
    if (status === 410) return "gone";
    return (await this.deps.store.hookDeliveries.hasArrived(hookId, createdAt)) ? undefined : "failing";
  }

  private async switchOff({ id }: OpenHook, userId: string, reason: HookOffReason): Promise<void> {
    await changeHooks(this.deps, userId, (hooks) =>
      hooks.map((each) =>
        each.id === id && each.enabled ? { ...each, enabled: false, off: { reason, at: Date.now() } } : each,
      ),
    );
    await this.deps.store.hookDeliveries.stop(id);
    tellOwner(this.deps.store.bus, userId, "settings");
    this.deps.log.warn({ hook: id, reason }, "a hook was switched off");
  }
}
