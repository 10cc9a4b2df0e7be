import { runLimits } from "@/lib/protocol/run-limits";

/** A person who does not answer for a day does not answer. */
const personMs = runLimits.chat.questionMs;

/** Who uses a server just now, and since when nobody has. */
export class Uses {
  /** When the clock last began (`performance.now()`). */
  since = 0;
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly expected = new Map<string, () => void>();

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

  /** A call waits for a person, and what it began may live in the server's memory: a use until it goes on. */
  expect(callId: string): void {
    this.goOn(callId);
    const end = this.begin();
    const timer = setTimeout(() => this.goOn(callId), personMs).unref();
    this.expected.set(callId, () => {
      clearTimeout(timer);
      end();
    });
  }

  goOn(callId: string): void {
    const end = this.expected.get(callId);
    this.expected.delete(callId);
    end?.();
  }

  /** What lived in the memory of the process is gone. */
  forget(): void {
    for (const callId of [...this.expected.keys()]) this.goOn(callId);
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
