import { setTimeout as wait } from "node:timers/promises";

/** Between two listings of a server that tells of changes all the time. */
const pauseMs = 300;
/** How long a call waits for a listing, which the server may never answer. */
const callWaitMs = 1_000;

/**
 * The listings of one server, one at a time. The first change is listed at once, so that the call it came with can wait
 * for it; many changes in a row cause one listing, a pause, and one more listing for all that came in between.
 */
export class Relisting {
  private current: Promise<void> | undefined;
  private pause: NodeJS.Timeout | undefined;
  private wanted = false;
  private stopped = false;

  /** `again` lists again and never rejects. */
  constructor(private readonly again: () => Promise<void>) {}

  /** Something has changed. */
  request(): void {
    if (this.stopped) return;
    if (this.current || this.pause) this.wanted = true;
    else void this.runAgain();
  }

  /** No listing is under way or due. */
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

  /** Undefined when no listing is under way; else resolves when it has ended or takes too long. */
  get pending(): Promise<unknown> | undefined {
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
