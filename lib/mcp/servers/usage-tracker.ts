import { runLimits } from "@/lib/protocol/run-limits";

/** A person who has not answered within a day is not expected to. */
const { questionMs } = runLimits.chat;

/** Counts the uses of a server, and tells when it has been idle for long enough. */
export class UsageTracker {
  /** When the idle time last began (`performance.now()`). */
  idleSince = 0;
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Ends the hold, by call id. */
  private readonly holds = new Map<string, () => void>();

  /** `onReleased`: the last use has ended. `onIdle`: no use has begun for `idleMs` since then. */
  constructor(
    private readonly idleMs: number,
    private readonly on: { onReleased(): void; onIdle(): void },
  ) {}

  get inUse(): boolean {
    return this.count > 0;
  }

  /** Returns how to end the use. */
  begin(): () => void {
    this.count++;
    clearTimeout(this.timer);
    return () => {
      if (--this.count > 0) return;
      this.restartClock();
      this.on.onReleased();
    };
  }

  /**
   * A call waits for a person. The server may keep in memory what the call began, so the wait counts as a use until the
   * call is sent again.
   */
  hold(callId: string): void {
    this.release(callId);
    const end = this.begin();
    const timer = setTimeout(() => this.release(callId), questionMs).unref();
    this.holds.set(callId, () => {
      clearTimeout(timer);
      end();
    });
  }

  release(callId: string): void {
    const end = this.holds.get(callId);
    this.holds.delete(callId);
    end?.();
  }

  /** The process is gone, and its memory with it: ends all holds, and the clock. */
  reset(): void {
    for (const callId of [...this.holds.keys()]) this.release(callId);
    clearTimeout(this.timer);
  }

  /** The idle time begins now. */
  restartClock(): void {
    clearTimeout(this.timer);
    this.idleSince = performance.now();
    if (!this.inUse) this.timer = setTimeout(() => this.on.onIdle(), this.idleMs).unref();
  }
}
