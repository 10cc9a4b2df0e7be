import type { DatabaseSync } from "node:sqlite";
import { runAndLetGo } from "./run-and-let-go";

/** What was recorded of the wire, by run and turn. All that writes belongs into a transaction of the log. */
interface WireRecords {
  /** In place of one of this name. */
  add(run: number, name: string, body: Uint8Array): void;
  /** Deletes records of these runs, so many bytes of them and one at least; false, and nothing is changed, when they are no more. */
  trim(runs: readonly number[], bytes: number): boolean;
  delete(runs: readonly number[]): void;
}

export function openWireRecords(db: DatabaseSync): WireRecords {
  let statements: ReturnType<typeof prepare> | undefined;
  return {
    add(run, name, body) {
      statements ??= prepare(db);
      runAndLetGo(statements.insert, [run, name, body]);
    },
    trim(runs, bytes) {
      statements ??= prepare(db);
      const first: number[] = [];
      let [sum, isAll] = [0, true];
      for (const { id, size } of statements.sizes.iterate(JSON.stringify(runs))) {
        sum += Number(size);
        isAll = first.length === 0 || sum <= bytes;
        if (!isAll) break;
        first.push(Number(id));
      }
      if (isAll) return false;
      statements.forget.run(JSON.stringify(first));
      return true;
    },
    delete(runs) {
      statements ??= prepare(db);
      statements.deleteAll.run(JSON.stringify(runs));
    },
  };
}

const listed = "(select value from json_each(?))";

function prepare(db: DatabaseSync) {
  return {
    insert: db.prepare("insert or replace into wire_record (run, name, body) values (?, ?, ?)"),
    // Reads none of the bodies.
    sizes: db.prepare(
      `select rowid as id, octet_length(body) as size from wire_record where run in ${listed} order by run, name`,
    ),
    forget: db.prepare(`delete from wire_record where rowid in ${listed}`),
    deleteAll: db.prepare(`delete from wire_record where run in ${listed}`),
  };
}
