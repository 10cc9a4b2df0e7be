const everyMs = 100;

/** Hears whose servers have changed; undefined: those that everybody has. */
export type ChangeListener = (people: ReadonlySet<string> | undefined) => void;

/** Notifies listeners of changes, at most every 100 ms; a listener that throws does not affect the others. */
export class ChangeNotifier {
  private readonly listeners = new Set<ChangeListener>();
  /** Since they were last told. */
  private people = new Set<string>();
  private isForAll = false;
  private timer: NodeJS.Timeout | undefined;
  private last = Number.NEGATIVE_INFINITY;

  constructor(private readonly failed: (cause: unknown) => void) {}

  /** Returns how to stop listening. */
  listen(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** `person`: whose servers have changed, where they are those of one alone. */
  notify(person?: string): void {
    if (person === undefined) this.isForAll = true;
    else this.people.add(person);
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
    const people = this.isForAll ? undefined : this.people;
    this.people = new Set();
    this.isForAll = false;
    for (const listener of [...this.listeners])
      try {
        listener(people);
      } catch (cause) {
        this.failed(cause);
      }
  }
}
