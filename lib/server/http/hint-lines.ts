import { type Hint, hints } from "@/lib/protocol/hints";
import type { Bus } from "@/lib/store/bus";
import { HttpError, overloaded } from "./errors";
import type { EventFeed } from "./event-feed";
import { HintLine } from "./hint-line";

/** Browsers and programs of one person, and of all, that are told at once. */
const maxOfPerson = 20;
const maxLines = 4_000;
/** What changes within so long is told together, ms. */
const gatherMs = 250;
/** Everybody is told in a random order, a person after another so long, ms: each of them asks for what is new. */
const [everyMs, longestMs] = [5, 5_000];
/** Changes that were missed are told so long, ms, after the last time that something may have been missed. */
const settledMs = 3_000;

interface PersonLines {
  lines: Set<HintLine>;
  waiting: Set<Hint>;
  timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by `performance.now()`. */
  dueAt: number;
  unsubscribe(): void;
}

interface Sources {
  bus: Pick<Bus, "subscribe" | "onChange">;
  pool: { onChange(listener: (people: ReadonlySet<string> | undefined) => void): () => void };
}

/**
 * The lines over which people are told that something of theirs has changed, and never what: whoever has changed it, through
 * whichever process. Of the MCP servers each process tells what has become of those that it is connected to.
 */
export class HintLines {
  private readonly people = new Map<string, PersonLines>();
  private isClosed = false;
  private settling: NodeJS.Timeout | undefined;
  /** Lines that are read. */
  count = 0;

  constructor(private readonly sources: Sources) {
    const { bus, pool } = sources;
    bus.subscribe("everybody", (body) => this.noteAll(read(body)));
    bus.onChange(({ kind }) => kind === "everything" && this.noteMissed());
    pool.onChange((people) => {
      if (!people) this.noteAll(["servers"]);
      else for (const id of people) this.note(id, ["servers"]);
    });
  }

  /**
   * What is told of this person from the start of the feed on. Throws HttpError: 429 for one line too many of theirs, 503 for one
   * too many of all and while the process ends; with the seconds after which to try again.
   */
  open(userId: string): EventFeed {
    if (this.isClosed)
      throw new HttpError(
        503,
        "draining",
        "The server is shutting down; try again in a moment.",
        undefined,
        5,
      );
    if ((this.people.get(userId)?.lines.size ?? 0) >= maxOfPerson)
      throw new HttpError(
        429,
        "too_many_lines",
        `You are told of changes in ${maxOfPerson} places already; close Meguri in one of them.`,
        undefined,
        60,
      );
    if (this.count >= maxLines) throw overloaded("Too many are told of changes here; try again soon.");
    return new HintLine({
      open: (line) => this.add(userId, line),
      leave: (line) => this.remove(userId, line),
    });
  }

  /** Ends all lines, and takes no more. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.settling);
    for (const { lines } of this.people.values()) for (const line of [...lines]) line.end();
  }

  private add(userId: string, line: HintLine): void {
    const person = this.people.get(userId) ?? {
      ...{ lines: new Set<HintLine>(), waiting: new Set<Hint>(), timer: undefined, dueAt: 0 },
      unsubscribe: this.sources.bus.subscribe(`user:${userId}`, (body) =>
        // Without a body many may have missed something, all at the same time.
        this.note(userId, read(body), body === "" ? this.turnMs() : 0),
      ),
    };
    this.people.set(userId, person);
    person.lines.add(line);
    this.count++;
  }

  private remove(userId: string, line: HintLine): void {
    const person = this.people.get(userId);
    if (!person?.lines.delete(line)) return;
    this.count--;
    if (person.lines.size > 0) return;
    clearTimeout(person.timer);
    person.unsubscribe();
    this.people.delete(userId);
  }

  private note(userId: string, changed: readonly Hint[], laterMs = 0): void {
    const person = this.people.get(userId);
    if (!person) return;
    for (const hint of changed) person.waiting.add(hint);
    const inMs = gatherMs + laterMs;
    const dueAt = performance.now() + inMs;
    if (person.timer && person.dueAt <= dueAt) return;
    clearTimeout(person.timer);
    person.dueAt = dueAt;
    person.timer = setTimeout(() => {
      person.timer = undefined;
      for (const line of person.lines) line.tell(person.waiting);
      person.waiting.clear();
    }, inMs).unref();
  }

  private noteAll(changed: readonly Hint[]): void {
    for (const userId of this.people.keys()) this.note(userId, changed, this.turnMs());
  }

  private turnMs(): number {
    return Math.random() * Math.min(longestMs, everyMs * (this.people.size - 1));
  }

  /** For as long as the database cannot be heard, it is said again and again. */
  private noteMissed(): void {
    clearTimeout(this.settling);
    if (!this.isClosed) this.settling = setTimeout(() => this.noteAll(hints), settledMs).unref();
  }
}

/** Without a body anything may have changed; of one that a newer version knows nothing is told. */
const read = (body: string): readonly Hint[] => (body === "" ? hints : hints.filter((hint) => hint === body));
