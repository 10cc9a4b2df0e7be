import { HttpError } from "@/lib/server/http/errors";
import { hash } from "@/lib/server/secrets";
import type { Bus } from "@/lib/store/bus";

/** Sign-ins for one address that may fail in a row within the window. */
const maxFailures = 10;
const windowMs = 10 * 60_000;
/** Addresses that are remembered: more than can be tried within the window. */
const maxAddresses = 50_000;
/** A password takes 50 to 200 ms of a core to check; a run must not wait for those. */
const atOnce = 2;
const maxWaiting = 40;

interface Failures {
  count: number;
  /** When the first of them was. */
  since: number;
}

/**
 * Slows down who guesses passwords, and keeps them from taking all the time there is. In memory, and told to the other
 * processes, so that a guesser has no more of them with each: a restart of all forgets it.
 */
export class Attempts {
  private readonly byAddress = new Map<string, Failures>();
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly bus: Pick<Bus, "publish" | "subscribe">,
    private readonly now: () => number = Date.now,
  ) {
    bus.subscribe("attempts", (body) => {
      const [key = "", count] = body.split(" ");
      if (count === "0") this.byAddress.delete(key);
      else this.note(key, Number(count));
    });
  }

  /**
   * Counts an attempt for this address before it is made, so that many at once count as well; 429 when there were too many.
   * The same whether or not the address has an account.
   */
  count(email: string): void {
    const key = hash(email);
    const known = this.inWindow(key);
    if (known && known.count >= maxFailures) throw tooMany((known.since + windowMs - this.now()) / 1000);
    // It is heard here as well, before anything else happens.
    this.bus.publish("attempts", `${key} ${(known?.count ?? 0) + 1}`);
  }

  /** The password was right. */
  forget(email: string): void {
    this.bus.publish("attempts", `${hash(email)} 0`);
  }

  private inWindow(key: string): Failures | undefined {
    const known = this.byAddress.get(key);
    return known && this.now() - known.since < windowMs ? known : undefined;
  }

  /** A count and not one more: what was told twice counts once. */
  private note(key: string, count: number): void {
    const { since, count: before } = this.inWindow(key) ?? { since: this.now(), count: 0 };
    this.byAddress.delete(key);
    this.byAddress.set(key, { since, count: Math.max(before, count) });
    if (this.byAddress.size > maxAddresses) this.byAddress.delete(this.byAddress.keys().next().value ?? "");
  }

  /** Has `work`, which hashes a password, take its turn; 429 when too many wait. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < atOnce) this.running++;
    else if (this.waiting.length >= maxWaiting) throw tooMany(5);
    // Whoever ends hands their place over.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

const tooMany = (seconds: number) =>
  new HttpError(
    429,
    "too_many_attempts",
    "Too many attempts to sign in; wait some minutes and try again.",
    undefined,
    Math.max(1, Math.ceil(seconds)),
  );
