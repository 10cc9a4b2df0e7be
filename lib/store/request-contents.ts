import type { DatabaseSync } from "node:sqlite";

/** What models were sent, by content hash. All that writes belongs into a transaction of the log. */
interface RequestContents {
  /** Names them for a run; one that is known is not stored again. */
  add(run: number, contents: ReadonlyMap<string, string>): void;
  /** Takes back what these runs name, and deletes what no other run does. */
  delete(runs: readonly number[]): void;
}

export function openRequestContents(db: DatabaseSync): RequestContents {
  let statements: ReturnType<typeof prepare> | undefined;
  return {
    add(run, contents) {
      statements ??= prepare(db);
      for (const [hash, body] of contents) {
        if (!statements.find.get(hash)) statements.insert.run(hash, body);
        statements.name.run(run, hash);
      }
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
    named: db.prepare(`select distinct hash from ${ofRuns}`),
    forget: db.prepare(`delete from ${ofRuns}`),
    deleteUnnamed: db.prepare(
      "delete from request_content where hash in (select value from json_each(?)) " +
        "and not exists (select 1 from run_content where run_content.hash = request_content.hash)",
    ),
  };
}
