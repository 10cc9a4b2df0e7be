import { HttpError, overloaded } from "@/lib/server/http/errors";

/** Calls that wait for a place, of all clients together. */
const maxWaiting = 5_000;

/** How many calls of programs run at once in this process; the others wait for their turn, so that the chats of people go on. */
export class Places {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {}

  /** Resolves with what gives the place back; rejects with 503 where too many wait, and with 499 when the signal fires. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.taken >= this.max) await this.wait(signal);
    this.taken++;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.taken--;
      this.next();
    };
  }

  private async wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= maxWaiting) throw overloaded("Too many calls are waiting; try again soon.");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(cancelled());
    this.waiting.add(resolve);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      await promise;
    } finally {
      // Its turn may have come in the moment in which it was given up.
      if (!this.waiting.delete(resolve) && signal.aborted) this.next();
      signal.removeEventListener("abort", stop);
    }
  }

  private next(): void {
    const [first] = this.waiting;
    if (!first || this.taken >= this.max) return;
    this.waiting.delete(first);
    first();
  }
}

const cancelled = () => new HttpError(499, "cancelled", "The call was cancelled before it was made.");
