import type { Compilable, CompiledQuery, InsertObject, Kysely } from "kysely";
import type { DB } from "./schema";

/** Stands in a query for a value that is told when it runs. */
class Parameter {
  constructor(readonly name: string) {}
}

/** Rows of one insert; keeps it below every engine's number of parameters. */
const maxRows = 100;

/**
 * A query that is compiled once for each engine, as Kysely takes longer to compile one than the database to run it.
 * `build` puts the `values` where they belong and looks at none of them: they are not known yet.
 */
export function prepare<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (db: Kysely<DB>, values: Values) => Compilable<Row>,
): (db: Kysely<DB>, values: Values) => Promise<Row[]> {
  const bound = bindLater(names, build);
  return async (db, values) => (await db.executeQuery<Row>(bound(db, values))).rows;
}

/** The same for rows that are read one by one, as long as they are asked for. */
export function prepareStream<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (db: Kysely<DB>, values: Values) => Compilable<Row>,
): (db: Kysely<DB>, values: Values) => AsyncGenerator<Row, void> {
  const bound = bindLater(names, build);
  return async function* (db, values) {
    for await (const { rows } of db.getExecutor().stream<Row>(bound(db, values), 1)) yield* rows;
  };
}

function bindLater<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (db: Kysely<DB>, values: Values) => Compilable<Row>,
): (db: Kysely<DB>, values: Values) => CompiledQuery<Row> {
  const marks = Object.fromEntries(names.map((name) => [name, new Parameter(name)])) as Values;
  const compiled = compileOnce((db) => build(db, marks).compile());
  return (db, values) => {
    const query = compiled(db);
    const parameters = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    return { ...query, parameters };
  };
}

/** The same for rows of a table: as few statements as may be, whose text depends on the number of rows alone. */
export function prepareInsert<Table extends keyof DB>(
  table: Table,
  columns: readonly (keyof DB[Table] & string)[],
): (db: Kysely<DB>, records: readonly DB[Table][]) => Promise<void> {
  const row = Object.fromEntries(columns.map((column) => [column, ""])) as InsertObject<DB, Table>;
  const inserts = Array.from({ length: maxRows }, (_, index) =>
    compileOnce((db) =>
      db
        .insertInto(table)
        .values(Array.from({ length: index + 1 }, () => row))
        .compile(),
    ),
  );
  return async (db, records) => {
    for (let at = 0; at < records.length; at += maxRows) {
      const batch = records.slice(at, at + maxRows);
      const query = inserts[batch.length - 1]?.(db);
      const parameters = batch.flatMap((record) => columns.map((column) => record[column]));
      if (query) await db.executeQuery({ ...query, parameters });
    }
  };
}

/** Transactions have the adapter of their engine. */
function compileOnce<Row>(
  compile: (db: Kysely<DB>) => CompiledQuery<Row>,
): (db: Kysely<DB>) => CompiledQuery<Row> {
  const byEngine = new WeakMap<object, CompiledQuery<Row>>();
  return (db) => {
    const { adapter } = db.getExecutor();
    const known = byEngine.get(adapter) ?? compile(db);
    byEngine.set(adapter, known);
    return known;
  };
}
