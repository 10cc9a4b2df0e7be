import { createThrottle } from "./throttle";

const everyMs = 100;

/** Notifies listeners of changes, at most every 100 ms; a listener that throws does not affect the others. */
export class ChangeNotifier {
  private readonly listeners = new Set<() => void>();
  private readonly throttle = createThrottle(everyMs, () => {
    for (const listener of [...this.listeners])
      try {
        listener();
      } catch (cause) {
        this.failed(cause);
      }
  });

  constructor(private readonly failed: (cause: unknown) => void) {}

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(): void {
    this.throttle.call();
  }

  stop(): void {
    this.throttle.stop();
    this.listeners.clear();
  }
}
