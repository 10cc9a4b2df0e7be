import type { DatabaseSync } from "node:sqlite";
import { joinRanges, maxCharacters, maxEvents, type WrittenRange } from "./event-range";
import { runAndLetGo } from "./run-and-let-go";

/** Of all runs, for which their rows wait in memory too. */
const maxUnsettledCharacters = 8_000_000;
/** Rows between the oldest that waits and the newest: so many, and more with many runs. */
const maxSpan = 8_192;
/** Rows that are deleted at once; fewer share pages with those that stay. */
const leastDeleted = 512;
/** Runs that are settled by one commit, besides those that have ended. */
const settledAtOnce = 16;

/** Rows of a run that stand in the journal alone. */
interface Unsettled {
  /** The first one's place. */
  oldest: number;
  ranges: WrittenRange[];
  events: number;
  characters: number;
}

/**
 * Where rows of the log go first: one after the other, whatever run they are of, so that a commit with pieces of a hundred
 * runs changes one page and not a hundred. When a run has enough of them, or has ended, they are settled: put to the other
 * rows of the run, many events in each. All that writes belongs into a transaction, after which one of `keep` and
 * `discard` is called.
 */
export class EventJournal {
  private readonly statements;
  /** By run, in the order of their oldest rows. */
  private readonly unsettled = new Map<number, Unsettled>();
  private characters = 0;
  private next = 1;
  /** Rows before it are deleted. */
  private start = 1;
  /** What the transaction that is open has changed. */
  private staged = newStage(1);

  constructor(db: DatabaseSync) {
    this.statements = prepare(db);
    for (const { id, run, first, last, at, data } of this.statements.load.iterate()) {
      this.next = Number(id) + 1;
      this.add(Number(run), Number(id), [
        { first: Number(first), last: Number(last), at: Number(at), data: String(data) },
      ]);
    }
    const { start, next } = this.statements.span.get() ?? {};
    this.start = Number(start ?? this.next);
    this.next = Number(next ?? this.next);
    this.staged = newStage(this.next);
  }

  rangesOf(run: number): readonly WrittenRange[] {
    return [...(this.unsettled.get(run)?.ranges ?? [])];
  }

  lastOf(run: number): number | undefined {
    return this.unsettled.get(run)?.ranges.at(-1)?.last;
  }

  append(run: number, ranges: readonly WrittenRange[], isOver: boolean): void {
    const { staged } = this;
    staged.added.push({ run, id: staged.next, ranges, isOver });
    // What has ended is settled by the same commit.
    if (isOver) return;
    for (const { first, last, at, data } of ranges)
      runAndLetGo(this.statements.append, [staged.next++, run, first, last, at, data]);
  }

  /** Settles what has ended, is enough for a row, or has waited for long, and deletes what is settled. */
  tidy(): void {
    const { staged, unsettled } = this;
    for (const { run, ranges, isOver } of staged.added) {
      const { events = 0, characters = 0 } = unsettled.get(run) ?? {};
      const isEnough =
        events + countEvents(ranges) >= maxEvents || characters + countCharacters(ranges) >= maxCharacters;
      if (isOver || (isEnough && staged.settled.size < settledAtOnce)) this.settle(run);
    }
    const span = maxSpan + maxEvents * unsettled.size;
    for (const [run, { oldest }] of unsettled) {
      const isOld = staged.next - oldest > span || this.characters > maxUnsettledCharacters;
      if (!isOld || staged.settled.size >= settledAtOnce) break;
      this.settle(run);
    }
    this.deleteSettled(leastDeleted);
  }

  settleAll(): void {
    for (const run of this.unsettled.keys()) this.settle(run);
    this.deleteSettled(1);
  }

  /** Deletes the rows of runs that are deleted. */
  delete(runs: readonly number[]): void {
    if (this.staged.next === this.start) return;
    this.statements.deleteOf.run(JSON.stringify(runs));
    for (const run of runs) this.staged.settled.add(run);
  }

  keep(): void {
    const { added, settled, next, start } = this.staged;
    for (const run of settled) {
      this.characters -= this.unsettled.get(run)?.characters ?? 0;
      this.unsettled.delete(run);
    }
    for (const { run, id, ranges } of added) if (!settled.has(run)) this.add(run, id, ranges);
    this.next = next;
    this.start = start ?? this.start;
    this.staged = newStage(next);
  }

  discard(): void {
    this.staged = newStage(this.next);
  }

  private add(run: number, id: number, ranges: readonly WrittenRange[]): void {
    const before = this.unsettled.get(run) ?? { oldest: id, ranges: [], events: 0, characters: 0 };
    before.ranges.push(...ranges);
    before.events += countEvents(ranges);
    const characters = countCharacters(ranges);
    before.characters += characters;
    this.characters += characters;
    this.unsettled.set(run, before);
  }

  private settle(run: number): void {
    const { settled, added } = this.staged;
    if (settled.has(run)) return;
    const fresh = added.flatMap((each) => (each.run === run ? each.ranges : []));
    for (const { first, last, at, data } of joinRanges([...this.rangesOf(run), ...fresh]))
      runAndLetGo(this.statements.settle, [run, first, last, at, data]);
    settled.add(run);
  }

  private deleteSettled(least: number): void {
    const { staged, unsettled } = this;
    let start = staged.next;
    for (const [run, { oldest }] of unsettled)
      if (!staged.settled.has(run)) {
        start = oldest;
        break;
      }
    for (const { run, id } of staged.added)
      if (!staged.settled.has(run) && !unsettled.has(run)) start = Math.min(start, id);
    if (start - this.start < least) return;
    this.statements.deleteBefore.run(start);
    staged.start = start;
  }
}

interface Stage {
  added: { run: number; id: number; ranges: readonly WrittenRange[]; isOver: boolean }[];
  settled: Set<number>;
  next: number;
  start: number | undefined;
}

const newStage = (next: number): Stage => ({ added: [], settled: new Set(), next, start: undefined });

const countEvents = (ranges: readonly WrittenRange[]): number =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
const countCharacters = (ranges: readonly WrittenRange[]): number =>
  ranges.reduce((sum, { data }) => sum + data.length, 0);

function prepare(db: DatabaseSync) {
  return {
    // What has been settled and not deleted, and what a run that is deleted has left, does not count.
    load: db.prepare(
      "select j.id, j.run, j.first, j.last, j.at, j.data from event_journal j join run_key k on k.run = j.run " +
        "where j.first > coalesce((select last from event_range r where r.run = j.run order by r.first desc limit 1), 0) order by j.id",
    ),
    span: db.prepare("select min(id) as start, max(id) + 1 as next from event_journal"),
    append: db.prepare(
      "insert into event_journal (id, run, first, last, at, data) values (?, ?, ?, ?, ?, ?)",
    ),
    settle: db.prepare("insert into event_range (run, first, last, at, data) values (?, ?, ?, ?, ?)"),
    deleteBefore: db.prepare("delete from event_journal where id < ?"),
    deleteOf: db.prepare("delete from event_journal where run in (select value from json_each(?))"),
  };
}
