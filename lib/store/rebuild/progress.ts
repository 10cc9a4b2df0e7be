const everyMs = 3000;

/** A line now and then about work that takes long; nothing about work that does not. */
export class Progress {
  private told = false;
  private last = performance.now();

  constructor(
    private readonly what: string,
    private readonly tell: (line: string) => void = () => {},
  ) {}

  /** `state` as in "1,200 of 9,000 runs". */
  at(state: () => string): void {
    const now = performance.now();
    if (now - this.last < everyMs) return;
    this.last = now;
    this.told = true;
    this.tell(`${this.what}: ${state()} …`);
  }

  end(): void {
    if (this.told) this.tell(`${this.what}: done.`);
  }
}
