/** After this time without a use a server that cannot be reached is not tried again until the next one. */
const awayMs = 5 * 60_000;

interface PresenceOptions {
  /** `onIdle` is called after this time without a use. */
  idleMs: number;
  awayMs?: number | undefined;
  onIdle(): void;
}

/** Whether a person uses their connections: a request, a run or an open stream of theirs. */
export class Presence {
  private uses = 0;
  private lastUse = performance.now();
  private idle: NodeJS.Timeout | undefined;
  private ended = false;
  private waiting = Promise.withResolvers<void>();

  constructor(private readonly options: PresenceOptions) {
    this.touch();
  }

  get inUse(): boolean {
    return this.uses > 0;
  }

  /** The person is there at this moment. */
  touch(): void {
    this.lastUse = performance.now();
    clearTimeout(this.idle);
    if (!this.inUse && !this.ended)
      this.idle = setTimeout(() => this.options.onIdle(), this.options.idleMs).unref();
    this.waiting.resolve();
    this.waiting = Promise.withResolvers();
  }

  /** The person is there until the returned function is called. */
  begin(): () => void {
    this.uses++;
    this.touch();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.uses--;
      this.touch();
    };
  }

  /** Resolves while the person is there, with their next use, or when the signal fires. */
  async whenThere(signal: AbortSignal): Promise<void> {
    const isThere = this.inUse || performance.now() - this.lastUse < (this.options.awayMs ?? awayMs);
    if (isThere || signal.aborted) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.waiting.promise, stopped.promise]);
    signal.removeEventListener("abort", stop);
  }

  /** Nothing is told any more. */
  end(): void {
    this.ended = true;
    clearTimeout(this.idle);
  }
}
