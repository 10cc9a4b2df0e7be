import { setTimeout as sleep } from "node:timers/promises";
import type { Bus, Change } from "@/lib/store/bus";
import { applyChange, type FollowDeps } from "./apply-change";

const everything = { kind: "everything" } as const satisfies Change;
/** More are taken up as if anything had changed. */
const maxWaiting = 1_000;
const retryMs = 1_000;
/** When the database comes back the bus tells of everything. */
const maxTries = 10;

/** Brings what this process has in memory in line with what others have changed in the database. */
export class ChangeFollower {
  private readonly waiting = new Map<string, Change>();
  private deps: FollowDeps | undefined;
  private isWorking = false;

  /** Before anything is read of which changes are told. */
  constructor(bus: Pick<Bus, "onChange">) {
    bus.onChange((change) => this.note(change));
  }

  /** All that is kept in memory has been read; what has changed meanwhile is taken up. */
  start(deps: FollowDeps): void {
    this.deps = deps;
    void this.work(deps);
  }

  private note(change: Change): void {
    // Somebody who is signed out must not wait for what takes longer.
    if (change.kind === "session" && this.deps) this.deps.ends.end([change.id]);
    else this.add(change);
    if (this.deps) void this.work(this.deps);
  }

  private add(change: Change): void {
    const isAll = change.kind === "everything" || this.waiting.size >= maxWaiting;
    if (isAll) this.waiting.clear();
    const one = isAll ? everything : change;
    this.waiting.set(JSON.stringify(one), one);
  }

  /** One after the other, so that what was read last counts. */
  private async work(deps: FollowDeps): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    for (let tries = 0; this.waiting.size > 0; ) {
      const [[key, change] = []] = this.waiting;
      if (key === undefined || !change) break;
      this.waiting.delete(key);
      try {
        await applyChange(deps, change);
        tries = 0;
      } catch (err) {
        if (tries === 0) deps.log.warn({ err }, "what another instance has changed could not be read");
        if (++tries >= maxTries) break;
        this.add(change);
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    this.isWorking = false;
  }
}
