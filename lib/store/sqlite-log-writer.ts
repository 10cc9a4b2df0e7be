import type { DatabaseSync, StatementSync } from "node:sqlite";
import { beforeLogWrite } from "@/lib/faults/fault-points";
import type { Append, LogWriter } from "./engine";
import { StoreError } from "./errors";
import { EventJournal } from "./event-journal";
import type { EventRange } from "./event-range";
import { openRequestContents } from "./request-contents";
import { runAndLetGo } from "./run-and-let-go";
import { toStoreError } from "./sqlite-fault";
import { openWireRecords } from "./wire-records";

/** Runs whose key and last number are remembered; others are looked up. */
const maxKnown = 4_096;

interface KnownRun {
  run: number;
  last: number;
}

/** `Engine.write` and `Engine.unsettled` for the embedded engine. */
interface OpenLogWriter {
  /** To be called while no transaction of Kysely is open. */
  write(work: (writer: LogWriter) => void, durable: boolean): void;
  unsettled(runId: string): readonly EventRange[];
}

/** Its statements are its own: Kysely takes longer to hand one over than the database to run it. */
export function openLogWriter(db: DatabaseSync, path: string): OpenLogWriter {
  const { writer, unsettled } = prepareWriter(db, path);
  return {
    write(work, durable) {
      if (!durable) return work(writer);
      // A prepared pragma does its work when it is prepared.
      db.exec("pragma synchronous = full");
      try {
        work(writer);
      } finally {
        db.exec("pragma synchronous = normal");
      }
    },
    unsettled,
  };
}

function prepareWriter(
  db: DatabaseSync,
  path: string,
): { writer: LogWriter } & Pick<OpenLogWriter, "unsettled"> {
  const statements = prepare(db);
  const journal = new EventJournal(db);
  const requests = openRequestContents(db);
  const wires = openWireRecords(db);
  const known = new Map<string, KnownRun>();

  const find = (runId: string): KnownRun => {
    const before = known.get(runId);
    if (before) return before;
    const key = statements.key.get(runId) ?? statements.addKey.get(runId);
    const run = Number(key?.run);
    const found = { run, last: journal.lastOf(run) ?? Number(statements.last.get(run)?.last ?? 0) };
    if (known.size >= maxKnown) known.delete(known.keys().next().value ?? "");
    known.set(runId, found);
    return found;
  };
  const insert = ({ runId, ranges, contents, isOver = false, wire }: Append): void => {
    const key = wire && statements.key.get(runId);
    if (wire && key) wires.add(Number(key.run), wire.name, wire.body);
    if (ranges.length === 0) return;
    const found = find(runId);
    if (contents) requests.add(found.run, contents);
    for (const { first, last } of ranges) {
      if (first <= found.last)
        throw new StoreError("duplicate", `Run ${runId} has an event ${first} in its log already.`);
      found.last = last;
    }
    journal.append(found.run, ranges, isOver);
  };
  const commit = <T>(runIds: readonly string[], work: () => T): T => {
    try {
      statements.begin.run();
      const value = work();
      beforeLogWrite?.();
      statements.commit.run();
      journal.keep();
      return value;
    } catch (cause) {
      for (const id of runIds) known.delete(id);
      journal.discard();
      // A full disk has ended the transaction already.
      if (db.isTransaction) statements.rollback.run();
      throw toStoreError(cause, path);
    }
  };
  const writer: LogWriter = {
    insert(appends) {
      const ids = appends.map(({ runId }) => runId);
      commit(ids, () => {
        appends.forEach(insert);
        journal.tidy();
      });
    },
    settle: () => commit([], () => journal.settleAll()),
    delete(runIds) {
      commit(runIds, () => {
        const runs = runIds.flatMap((id) => statements.key.get(id)?.run ?? []).map(Number);
        journal.delete(runs);
        for (const run of runs) statements.deleteEvents.run(run, -1);
        requests.delete(runs);
        wires.delete(runs);
        for (const id of runIds) statements.deleteKey.run(id);
      });
      for (const id of runIds) known.delete(id);
    },
    trim(runIds, part) {
      return commit(runIds, () => {
        const { isAll, counts } = firstRows(statements, runIds, part);
        if (isAll) {
          const runs = counts.map(([run]) => run);
          return requests.trim(runs, part.bytes) || wires.trim(runs, part.bytes);
        }
        for (const [run, count] of counts) statements.deleteEvents.run(run, count);
        return true;
      });
    },
    replace(runId, { first, last, at, data, packed }, rows) {
      const key = statements.key.get(runId);
      if (!key) return;
      const run = Number(key.run);
      commit([runId], () => {
        const found = statements.countUnpacked.get(run, first, last);
        if (Number(found?.rows) !== rows) return;
        statements.deleteRange.run(run, first, last);
        runAndLetGo(statements.insertPacked, [run, first, last, at, data, packed]);
      });
    },
  };
  return {
    writer,
    unsettled(runId) {
      const run = known.get(runId)?.run ?? statements.key.get(runId)?.run;
      return run === undefined ? [] : journal.rangesOf(Number(run));
    },
  };
}

/** How many rows of each of these runs are in the first so many rows and bytes of them all; one at least. */
function firstRows(
  { key, eventSizes }: ReturnType<typeof prepare>,
  runIds: readonly string[],
  { rows, bytes }: { rows: number; bytes: number },
): { isAll: boolean; counts: [run: number, count: number][] } {
  const counts: [number, number][] = [];
  let [count, sum] = [0, 0];
  for (const id of runIds) {
    const run = Number(key.get(id)?.run ?? 0);
    const before = count;
    for (const { size } of eventSizes.iterate(run)) {
      sum += Number(size);
      if (count > 0 && (count === rows || sum > bytes))
        return { isAll: false, counts: [...counts, [run, count - before]] };
      count++;
    }
    counts.push([run, count - before]);
  }
  return { isAll: true, counts };
}

function prepare(db: DatabaseSync) {
  const statement = (sql: string): StatementSync => db.prepare(sql);
  return {
    begin: statement("begin immediate"),
    commit: statement("commit"),
    rollback: statement("rollback"),
    key: statement("select run from run_key where run_id = ?"),
    addKey: statement("insert into run_key (run_id) values (?) returning run"),
    last: statement("select last from event_range where run = ? order by first desc limit 1"),
    // Reads none of what they hold.
    eventSizes: statement(
      "select octet_length(data) + coalesce(octet_length(packed), 0) as size from event_range where run = ?",
    ),
    // Without a limit where that is negative.
    deleteEvents: statement(
      "delete from event_range where run = ?1 and first in (select first from event_range where run = ?1 limit ?2)",
    ),
    countUnpacked: statement(
      "select count(*) as rows from event_range where run = ? and first between ? and ? and packed is null",
    ),
    deleteRange: statement("delete from event_range where run = ? and first between ? and ?"),
    insertPacked: statement(
      "insert into event_range (run, first, last, at, data, packed) values (?, ?, ?, ?, ?, ?)",
    ),
    deleteKey: statement("delete from run_key where run_id = ?"),
  };
}
