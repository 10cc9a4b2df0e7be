import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase } from "pg";
import { beforeLogWrite } from "@/lib/faults/fault-points";
import type { Append, LogWriter } from "./engine";
import { StoreError } from "./errors";
import { joinRanges } from "./event-range";
import type { StoredRange } from "./packing/packed-range";
import { isConnectionGone, toStoreError } from "./postgres-fault";
import {
  addContents,
  addWire,
  deleteAfter,
  deleteLogs,
  findRuns,
  insertRows,
  type LogRow,
  replaceRows,
} from "./postgres-log-rows";
import type { LogSession } from "./postgres-session";

/** Runs whose key and last number are remembered; others are looked up. */
const maxKnown = 4_096;
/** So long the server may be away … */
const longestMs = 60_000;
/** … and it is tried again so often. */
const retryMs = 250;

interface KnownRun {
  run: number;
  last: number;
}

type Operation = (client: ClientBase) => Promise<void>;

class LostLogError extends StoreError {
  constructor() {
    super("io", "The run is in the hands of another process, which goes on with its log.");
  }
}

/**
 * `Engine.write` for PostgreSQL: what one call asks for is one transaction, one after the other. Rows go straight to those
 * of their run, as the server writes a commit in one place whatever pages it changes; each commit survives a power cut.
 */
export class PostgresLogWriter {
  private readonly known = new Map<string, KnownRun>();
  /** By run, its last number before the commit that is under way … */
  private readonly underWay = new Map<string, number>();
  /** … and before one of which nobody knows whether it came through. */
  private readonly unsure = new Map<string, number>();
  private turn: Promise<unknown> = Promise.resolve();
  private owner: string;
  /** Since when nothing could be written, as the server did not answer. */
  private awaySince: number | undefined;
  private isClosed = false;

  constructor(
    private readonly session: Pick<LogSession, "get" | "close">,
    /** Of this instance at the moment. */
    private readonly id: () => string,
    /** Told, after each commit, of which runs rows were added. */
    private readonly onAdded: (runIds: readonly string[]) => void = () => {},
    private readonly mostMs = longestMs,
  ) {
    this.owner = id();
  }

  write(work: (writer: LogWriter) => void): Promise<void> {
    const owner = this.id();
    return this.inTurn(async () => {
      this.check(owner);
      if (this.owner !== owner) this.forget();
      const plan = new Plan(this);
      work(plan);
      return this.untilWritten(plan);
    });
  }

  /** What waits for the server is told that it is away. */
  close(): void {
    this.isClosed = true;
  }

  /**
   * While the server is away everything waits: no run ends for it. What is written again is what was sent before, so that
   * nothing that others may have read of it meanwhile becomes something else.
   */
  private async untilWritten(plan: Plan): Promise<void> {
    for (;;) {
      try {
        await this.commit(plan);
        this.awaySince = undefined;
        return;
      } catch (cause) {
        if (!isAway(cause) || this.isClosed) throw cause;
        this.awaySince ??= performance.now();
        if (performance.now() - this.awaySince >= this.mostMs) throw cause;
      }
      await sleep(retryMs, undefined, { ref: false });
      this.check(this.owner);
    }
  }

  /** Sessions of another id may write what those of this one must not. */
  private check(owner: string): void {
    if (owner !== this.id()) throw new LostLogError();
  }

  /** What was under the former id may have been written on by others. */
  private forget(): void {
    this.owner = this.id();
    this.known.clear();
    this.unsure.clear();
  }

  /** For what changes the log by itself; nothing is written meanwhile. */
  replaceAll(work: () => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      await work();
      this.known.clear();
      this.unsure.clear();
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /** Of runs that have no key yet, one is made. */
  async insert(client: ClientBase, appends: readonly Append[]): Promise<void> {
    for (const { runId, wire } of appends) if (wire) await addWire(client, runId, wire);
    const runIds = new Set(appends.flatMap(({ runId, ranges }) => (ranges.length > 0 ? runId : [])));
    if (runIds.size === 0) return;
    await this.find(client, [...runIds]);
    await this.takeBack(client, runIds);
    const rows: LogRow[] = [];
    for (const append of appends) {
      const found = this.known.get(append.runId);
      if (!found || append.ranges.length === 0) continue;
      if (append.contents) await addContents(client, found.run, append.contents);
      rows.push(...rowsOf(append, found));
    }
    await insertRows(client, rows);
  }

  /** Nobody was told of them: their writer gives their numbers to what it has now. */
  private async takeBack(client: ClientBase, runIds: ReadonlySet<string>): Promise<void> {
    for (const runId of runIds) {
      const found = this.known.get(runId);
      if (!found) continue;
      const last = this.unsure.get(runId) ?? found.last;
      if (last < found.last) await deleteAfter(client, found.run, last);
      found.last = last;
      this.underWay.set(runId, last);
    }
  }

  private async find(client: ClientBase, runIds: readonly string[]): Promise<void> {
    const unknown = runIds.filter((runId) => !this.known.has(runId));
    if (unknown.length === 0) return;
    for (const { runId, run, last } of await findRuns(client, unknown)) this.known.set(runId, { run, last });
    for (const runId of this.known.keys()) {
      if (this.known.size <= maxKnown) break;
      if (!runIds.includes(runId)) this.known.delete(runId);
    }
  }

  private async commit({ operations, runIds, deleted, isOneStatement }: Plan): Promise<void> {
    if (operations.length === 0) return;
    const client = await this.session.get();
    this.check(this.owner);
    const isAlone = isOneStatement && runIds.every((id) => this.known.has(id));
    try {
      if (isAlone) beforeLogWrite?.();
      else await client.query("begin");
      for (const operation of operations) await operation(client);
      if (!isAlone) {
        beforeLogWrite?.();
        await client.query("commit");
      }
      for (const id of deleted) this.known.delete(id);
      for (const id of this.underWay.keys()) this.unsure.delete(id);
      this.onAdded([...this.underWay.keys()]);
    } catch (cause) {
      for (const id of runIds) this.known.delete(id);
      if (isConnectionGone(cause)) {
        for (const [id, last] of this.underWay) this.unsure.set(id, last);
        // A line that has gone silent would be used again.
        void this.session.close();
      } else if (!isAlone) await client.query("rollback").catch(() => {});
      throw toStoreError(cause);
    } finally {
      this.underWay.clear();
    }
  }
}

/** Nobody knows whether it was written, or no session could be opened. */
const isAway = (cause: unknown): boolean =>
  cause instanceof StoreError && cause.code === "io" && !(cause instanceof LostLogError);

/** What one call of `write` asks for. */
class Plan implements LogWriter {
  readonly operations: Operation[] = [];
  /** Of rows that are inserted. */
  readonly runIds: string[] = [];
  readonly deleted: string[] = [];
  /** So that it is a transaction by itself where the runs are known. */
  isOneStatement = true;

  constructor(private readonly writer: PostgresLogWriter) {}

  insert(appends: readonly Append[]): void {
    this.isOneStatement &&=
      this.operations.length === 0 && appends.every(({ contents, wire }) => !contents && !wire);
    this.operations.push((client) => this.writer.insert(client, appends));
    this.runIds.push(...appends.map(({ runId }) => runId));
  }

  /** Rows are where they belong from the beginning. */
  settle(): void {}

  delete(runIds: readonly string[]): void {
    this.isOneStatement = false;
    this.deleted.push(...runIds);
    this.operations.push((client) => deleteLogs(client, runIds));
  }

  /** Another process deletes, so that no log is too large. */
  trim(): boolean {
    return false;
  }

  replace(runId: string, range: StoredRange, rows: number): void {
    this.isOneStatement = false;
    this.operations.push((client) => replaceRows(client, runId, range, rows));
  }
}

/** `duplicate` when the run has one of the numbers already. */
function rowsOf({ runId, ranges }: Append, found: KnownRun): LogRow[] {
  for (const { first, last } of ranges) {
    if (first <= found.last)
      throw new StoreError("duplicate", `Run ${runId} has an event ${first} in its log already.`);
    found.last = last;
  }
  return joinRanges(ranges).map((range) => ({ run: found.run, ...range }));
}
