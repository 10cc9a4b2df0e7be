import type { DatabaseSync } from "node:sqlite";
import { runAndLetGo } from "./run-and-let-go";

/** What models were sent, by content hash. All that writes belongs into a transaction of the log. */
interface RequestContents {
  /** Names them for a run; one that is known is not stored again. */
  add(run: number, contents: ReadonlyMap<string, string>): void;
  /** Releases contents that these runs name, so many bytes of them and one at least; false, and nothing is changed, when they are no more. */
  trim(runs: readonly number[], bytes: number): boolean;
  /** Takes back what these runs name, and deletes what no other run does. */
  delete(runs: readonly number[]): void;
}

export function openRequestContents(db: DatabaseSync): RequestContents {
  let statements: ReturnType<typeof prepare> | undefined;
  return {
    add(run, contents) {
      statements ??= prepare(db);
      for (const [hash, body] of contents) {
        if (!statements.find.get(hash)) runAndLetGo(statements.insert, [hash, body]);
        statements.name.run(run, hash);
      }
    },
    trim(runs, bytes) {
      statements ??= prepare(db);
      const list = JSON.stringify(runs);
      const first: unknown[] = [];
      let [sum, isAll] = [0, true];
      for (const { hash, size } of statements.sizes.iterate(list)) {
        sum += Number(size);
        isAll = first.length === 0 || sum <= bytes;
        if (!isAll) break;
        first.push(hash);
      }
      if (isAll) return false;
      const hashes = JSON.stringify(first);
      statements.forgetSome.run(list, hashes);
      statements.deleteUnnamed.run(hashes);
      return true;
    },
    delete(runs) {
      statements ??= prepare(db);
      const list = JSON.stringify(runs);
      const hashes = statements.named.all(list).map(({ hash }) => hash);
      if (hashes.length === 0) return;
      statements.forget.run(list);
      statements.deleteUnnamed.run(JSON.stringify(hashes));
    },
  };
}

const ofRuns = "run_content where run in (select value from json_each(?))";

function prepare(db: DatabaseSync) {
  return {
    find: db.prepare("select 1 from request_content where hash = ?"),
    insert: db.prepare("insert into request_content (hash, body) values (?, ?)"),
    name: db.prepare("insert or ignore into run_content (run, hash) values (?, ?)"),
    // Reads none of the bodies.
    sizes: db.prepare(
      `select hash, octet_length(body) as size from request_content where hash in (select hash from ${ofRuns})`,
    ),
    named: db.prepare(`select distinct hash from ${ofRuns}`),
    forget: db.prepare(`delete from ${ofRuns}`),
    forgetSome: db.prepare(`delete from ${ofRuns} and hash in (select value from json_each(?))`),
    deleteUnnamed: db.prepare(
      "delete from request_content where hash in (select value from json_each(?)) " +
        "and not exists (select 1 from run_content where run_content.hash = request_content.hash)",
    ),
  };
}
