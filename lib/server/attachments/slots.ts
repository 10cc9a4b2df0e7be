/** Lets so much work go on at once and so much wait for its turn; what comes beyond is refused. */
export class Slots {
  private busy = 0;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly limits: { atOnce: number; waiting: number },
    private readonly refusal: Error,
  ) {}

  /** Whether the next would be refused. */
  get isFull(): boolean {
    return this.busy >= this.limits.atOnce && this.queue.length >= this.limits.waiting;
  }

  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.isFull) throw this.refusal;
    if (this.busy < this.limits.atOnce) this.busy++;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.busy--;
    }
  }
}
