import type { Retention } from "@/lib/protocol/data";
import { daysBefore, keptUsageDays, type SharedLimits } from "@/lib/protocol/person-limits";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { RemovableRow } from "@/lib/store/conversation-ports";
import { withLease } from "@/lib/store/leases";
import { purgeDeleted } from "./purge";
import { type PurgePeopleDeps, purgePeople } from "./purge-people";
import { readUsage, surplus, type UsageDeps } from "./usage";

type RetentionDeps = UsageDeps &
  PurgePeopleDeps & {
    env: Pick<BaseDeps["env"], "AUTH">;
    limits: { readonly shared: Pick<SharedLimits, "retention">; reread(): Promise<void> };
  };

const everyMs = 60 * 60_000;
/** So long what a program has asked nobody to keep stays, for its log. */
const unkeptForMs = 24 * 60 * 60_000;
const keptDeliveriesMs = 30 * 24 * 60 * 60_000;
const pageSize = 50;
/** When it is looked again where another process is at it: it may have begun before a setting was changed. */
const againMs = 60_000;

/**
 * Deletes what is kept no longer: counts of use, what hooks were told, what is left in the database of files, and whole conversations, those of
 * deleted people, those that a person has deleted or a program has had for itself a day ago, and others as the settings say. It does so at the start, once
 * an hour, when the setting changes and when somebody is deleted; in one process at a time, as two would each delete what is
 * too much. Each conversation goes in a transaction of its own, so that nobody waits for it and a crash leaves whole ones.
 */
export class RetentionJob {
  private timer: NodeJS.Timeout | undefined;
  private pass: Promise<void> = Promise.resolve();
  private waiting = false;
  private closed = false;
  private again: NodeJS.Timeout | undefined;
  /** Of the pass that is under way. */
  private isHeld = () => true;

  constructor(private readonly deps: RetentionDeps) {}

  start(): void {
    this.timer = setInterval(() => void this.wake(), everyMs).unref();
    void this.wake();
  }

  /** Another pass, after the one that may be under way; resolves when it has ended. Never rejects. */
  wake(): Promise<void> {
    if (this.waiting || this.closed) return this.pass;
    this.waiting = true;
    this.pass = this.pass.then(async () => {
      this.waiting = false;
      if (this.closed) return;
      const times = { mostMs: everyMs, waitMs: 0 };
      try {
        const done = await withLease(this.deps.store.leases, "retention", times, (isHeld) => {
          this.isHeld = isHeld;
          return this.deleteAll();
        });
        if (!done) this.lookAgain();
      } catch (err) {
        this.deps.log.error({ err }, "retention has stopped early; it is tried again within the hour");
      }
    });
    return this.pass;
  }

  /** Begins nothing more; resolves when the deletion that is under way has ended. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    clearTimeout(this.again);
    await this.pass;
  }

  private lookAgain(): void {
    clearTimeout(this.again);
    this.again = setTimeout(() => void this.wake(), againMs).unref();
  }

  /** Nothing more is to be deleted here. */
  private readonly mustStop = (): boolean => this.closed || !this.isHeld();

  private async deleteAll(): Promise<void> {
    const { store, log, limits } = this.deps;
    // Another process may have been told that something is to stay.
    await limits.reread();
    await purgePeople(this.deps, { isClosed: this.mustStop });
    const conversations = await purgeDeleted(this.deps, { isClosed: this.mustStop });
    if (conversations > 0) log.info({ conversations }, "deleted conversations are gone for ever");
    await this.deleteUnkept();
    await store.blobs?.sweep();
    await store.hookDeliveries.deleteBefore(Date.now() - keptDeliveriesMs);
    await store.usageDays.deleteBefore(daysBefore(Date.now(), keptUsageDays));
    await this.deleteSurplus();
  }

  /** What programs have had over OpenAI's wires a day ago. */
  private async deleteUnkept(): Promise<void> {
    const { conversations } = this.deps.store;
    while (!this.mustStop()) {
      const rows = await conversations.unkept({ until: Date.now() - unkeptForMs, limit: pageSize });
      let deleted = 0;
      for (const { userId, ...row } of rows) {
        if (this.mustStop()) return;
        if (await this.deleteOne(userId, row)) deleted += 1;
      }
      // What has been changed meanwhile is no longer among them.
      if (rows.length < pageSize || deleted === 0) return;
    }
  }

  /** Of each person by what they have set, and of everybody by what an admin has. */
  private async deleteSurplus(): Promise<void> {
    for await (const userId of this.owners())
      await this.deleteOf(userId).catch((err) =>
        this.deps.log.error(
          { err },
          "retention of a person has stopped early; it is tried again within the hour",
        ),
      );
  }

  private async *owners(): AsyncGenerator<string, void> {
    const { store } = this.deps;
    if (this.sharedDays === undefined) return yield* await store.settings.owners("retention");
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await store.accounts.people({ limit: 200, ...(cursor !== undefined && { cursor }) });
      for (const { id } of page.items) yield id;
      cursor = page.nextCursor;
    }
  }

  private get sharedDays(): number | undefined {
    return this.deps.env.AUTH === "local" ? undefined : this.deps.limits.shared.retention.days;
  }

  private async deleteOf(userId: string): Promise<void> {
    const retention = await this.read(userId);
    if (this.mustStop() || (retention.days === undefined && retention.bytes === undefined)) return;
    // It reads the whole database, which is not to be done for each person.
    const usage = retention.bytes === undefined ? undefined : await readUsage(this.deps, userId, {});
    let conversations = 0;
    for await (const row of surplus(this.deps, userId, retention, usage)) {
      // Somebody may have turned it off or moved the limit: a new pass is waiting then.
      if (this.mustStop() || this.waiting) break;
      if (await this.deleteOne(userId, row)) conversations += 1;
    }
    if (conversations > 0)
      this.deps.log.info({ conversations, retention }, "retention has deleted conversations");
  }

  private async read(userId: string): Promise<Retention> {
    const set = (await this.deps.store.settings.reread<Retention>(userId, "retention")) ?? {};
    if (this.deps.env.AUTH === "local") return set;
    // What takes space is everybody's: nobody's conversations are to go for those of others.
    const days = [set.days, this.sharedDays].filter((one) => one !== undefined);
    return days.length === 0 ? {} : { days: Math.min(...days) };
  }

  private deleteOne(userId: string, row: RemovableRow): Promise<boolean> {
    const { store, files, turns } = this.deps;
    return turns.run(row.id, async () => {
      const attached = await store.attachments.idsOf(row.id);
      if (!(await store.conversations.deleteRemovable(userId, row))) return false;
      await files.delete(attached);
      return true;
    });
  }
}
