import { setTimeout as wait } from "node:timers/promises";

/** Between two listings of a server that tells of changes all the time. */
const pauseMs = 300;
/** How long a call waits for a listing, which a server may never answer. */
const callWaitMs = 1_000;

/**
 * The listings of one server, never two at once. The first change that is told of is read at once, so that the call it
 * came with can wait for it; a storm of them is one listing, a pause, and one more for what came in between.
 */
export class Relisting {
  private current: Promise<void> | undefined;
  private pause: NodeJS.Timeout | undefined;
  private wanted = false;
  private stopped = false;

  /** `again` lists anew and never rejects. */
  constructor(private readonly again: () => Promise<void>) {}

  /** Something has changed. */
  soon(): void {
    if (this.stopped) return;
    if (this.current || this.pause) this.wanted = true;
    else void this.runAgain();
  }

  /** Nothing is being listed, and no change waits for its turn. */
  get isQuiet(): boolean {
    return !(this.current || this.wanted);
  }

  /** The first listing of the connection. */
  async begin(list: () => Promise<void>): Promise<void> {
    this.current = list();
    await this.current;
    this.current = undefined;
    if (this.wanted) void this.runAgain();
  }

  /** Undefined when nothing is being listed; else resolves when that has ended, or has taken too long. */
  get underWay(): Promise<unknown> | undefined {
    return this.current && Promise.race([this.current, wait(callWaitMs, undefined, { ref: false })]);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.pause);
  }

  private async runAgain(): Promise<void> {
    this.wanted = false;
    this.current = this.again();
    await this.current;
    this.current = undefined;
    if (this.stopped) return;
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (this.wanted) void this.runAgain();
    }, pauseMs).unref();
  }
}
