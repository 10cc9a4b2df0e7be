import { HttpError } from "@/lib/server/http/errors";
import { mayPass } from "@/lib/store/errors";

/** Pauses between two tries, ms; each is twice as long as the one before. */
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** About a day; after that the next start gives the run its end. */
const maxTries = 2_900;

/**
 * Stores the end of one run, again and again while the store refuses: nobody else does it before the next start. What it
 * holds meanwhile is bounded, as the run counts among the live ones (`LiveRuns`).
 */
export class EndRetry {
  private tries = 0;
  private awake = Promise.withResolvers<void>();
  private failed = Promise.withResolvers<unknown>();

  /** Rejects where another try cannot help. `onFault` hears of the first refusal. */
  async untilStored(work: () => Promise<void>, onFault: (cause: unknown) => void): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await work();
      } catch (cause) {
        if (!mayPass(cause) || this.tries >= maxTries) throw cause;
        if (this.tries++ === 0) onFault(cause);
        this.awake = Promise.withResolvers();
        this.failed.resolve(cause);
        this.failed = Promise.withResolvers();
      }
      await this.sleep(pauseMs);
    }
  }

  /** Tries at once, where it pauses; resolves when a try has failed. */
  async refused(): Promise<void> {
    const { promise } = this.failed;
    this.awake.resolve();
    await promise;
  }

  private async sleep(ms: number): Promise<void> {
    const timer = setTimeout(this.awake.resolve, ms);
    await this.awake.promise;
    clearTimeout(timer);
  }
}

/** Resolves when the end of a run is stored; 503 when the store still refuses it. */
export async function awaitEnd({ ended, retry }: { ended: Promise<void>; retry: EndRetry }): Promise<void> {
  await Promise.race([
    ended,
    retry.refused().then(() => {
      throw new HttpError(
        503,
        "end_not_stored",
        "How this answer ended is not stored yet, as the database cannot be written: free some space on its disk or close the program that locks it. It is tried again by itself.",
        undefined,
        5,
      );
    }),
  ]);
}
