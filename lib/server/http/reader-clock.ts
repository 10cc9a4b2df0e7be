const tickMs = 5_000;

interface Ticked {
  tick(): void;
}

/** One timer for all readers; it runs while there are any. */
class ReaderClock {
  private readonly readers = new Set<Ticked>();
  private timer: NodeJS.Timeout | undefined;

  add(reader: Ticked): void {
    this.readers.add(reader);
    this.timer ??= setInterval(() => {
      for (const one of this.readers) one.tick();
    }, tickMs).unref();
  }

  delete(reader: Ticked): void {
    this.readers.delete(reader);
    if (this.readers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** A route that Next.js bundles apart has one of its own, which does no harm. */
export const readerClock = new ReaderClock();
