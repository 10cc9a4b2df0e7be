import type { buildConnector, Dispatcher } from "undici";

/** Pieces of an answer within a millisecond that make it a fast one. */
const fast = 16;
const restMs = 1;

/**
 * For the connections of the models: a socket takes no more in than this while its answer rests. By undici's own default,
 * 64 KB, it would go on waking us for each packet. The types of undici do not know what it hands on to Node's sockets.
 */
export const pacedConnections: buildConnector.BuildOptions = { highWaterMark: 4_096 } as object;

/**
 * When an answer is read: each packet as it comes, but one that brings pieces faster than anybody can follow once a
 * millisecond, since being woken for a packet costs more than reading it; and not while its reader is behind.
 */
export class ReadPace {
  private control: Dispatcher.DispatchController | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Those that have come since then; by the clock, as a timer for each piece of a slow answer costs more than reading it. */
  private pieces = 0;
  private since = 0;
  private isResting = false;
  private isHeld = false;

  start(control: Dispatcher.DispatchController): void {
    this.control = control;
  }

  /** A piece of the body has come. */
  note(): void {
    if (this.isResting) return;
    const now = performance.now();
    if (now - this.since >= restMs) {
      this.since = now;
      this.pieces = 0;
    }
    // The read that brought it is read to its end first.
    if (++this.pieces === fast) queueMicrotask(this.rest);
  }

  /** The reader is behind: no more until `release`. */
  hold(): void {
    this.isHeld = true;
    this.control?.pause();
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    if (!this.isResting) this.control?.resume();
  }

  /** The connection serves somebody else from now on. */
  end(): void {
    this.control = undefined;
    clearTimeout(this.timer);
  }

  private rest = (): void => {
    if (this.isResting || !this.control) return;
    this.isResting = true;
    this.control.pause();
    this.timer = setTimeout(this.goOn, restMs);
  };

  private goOn = (): void => {
    this.since = 0;
    this.isResting = false;
    if (!this.isHeld) this.control?.resume();
  };
}
