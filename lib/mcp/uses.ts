/** Who uses a server just now, and since when nobody has. */
export class Uses {
  /** When the clock last began (`performance.now()`). */
  since = 0;
  private count = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `freed`: the last use has ended. `idle`: and no other has begun for `idleMs`. */
  constructor(
    private readonly idleMs: number,
    private readonly on: { freed(): void; idle(): void },
  ) {}

  get any(): boolean {
    return this.count > 0;
  }

  /** Returns how to end the use. */
  begin(): () => void {
    this.count++;
    clearTimeout(this.timer);
    return () => {
      if (--this.count > 0) return;
      this.startClock();
      this.on.freed();
    };
  }

  startClock(): void {
    this.stopClock();
    this.since = performance.now();
    if (!this.any) this.timer = setTimeout(() => this.on.idle(), this.idleMs).unref();
  }

  stopClock(): void {
    clearTimeout(this.timer);
  }
}
