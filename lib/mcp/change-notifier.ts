const everyMs = 100;

/** Notifies listeners of changes, at most every 100 ms; a listener that throws does not affect the others. */
export class ChangeNotifier {
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private last = Number.NEGATIVE_INFINITY;

  constructor(private readonly failed: (cause: unknown) => void) {}

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(): void {
    const waitMs = Math.max(0, everyMs - (performance.now() - this.last));
    this.timer ??= setTimeout(() => this.tell(), waitMs).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
  }

  private tell(): void {
    this.timer = undefined;
    this.last = performance.now();
    for (const listener of [...this.listeners])
      try {
        listener();
      } catch (cause) {
        this.failed(cause);
      }
  }
}
