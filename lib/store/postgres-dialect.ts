import { type DataTypeNode, PostgresDialect, type PostgresPool, PostgresQueryCompiler } from "kysely";
import { PagedCursor } from "./paged-cursor";

/** Columns are named in SQLite's way. All texts have the order of their bytes, as SQLite's; dates are ISO texts here too. */
const columnTypes: Record<string, string> = {
  text: 'text collate "C"',
  date: 'text collate "C"',
  blob: "bytea",
  // SQLite's have 64 bits.
  integer: "bigint",
};

class QueryCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(columnTypes[node.dataType] ?? node.dataType);
  }
}

class Dialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new QueryCompiler();
  }
}

export const postgresDialect = (pool: PostgresPool): PostgresDialect =>
  new Dialect({ pool, cursor: PagedCursor });
