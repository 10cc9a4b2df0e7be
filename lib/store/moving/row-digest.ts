import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { type Parameter, plainText } from "@/lib/store/parameter";
import type { DB } from "@/lib/store/schema";

export interface Column {
  name: string;
  kind: "text" | "integer" | "float" | "bytes";
}

/**
 * How many rows there are and a hash of all of them in any order: a sum of one hash for each row, of its values with their
 * lengths. PostgreSQL counts the same with `digestOf`, so that no row has to come back to be compared.
 */
export class RowDigest {
  rows = 0;
  private high = 0n;
  private low = 0n;

  constructor(private readonly columns: readonly Column[]) {}

  add(values: readonly Parameter[]): void {
    const hash = createHash("sha256");
    for (const [index, { kind }] of this.columns.entries()) {
      const value = values[index] ?? null;
      if (value === null) {
        hash.update(isNull);
        continue;
      }
      const bytes = bytesOf(value, kind);
      hash
        .update(isThere)
        .update(int8(BigInt(bytes.byteLength)))
        .update(bytes);
    }
    const digest = hash.digest();
    this.high += digest.readBigInt64BE(0);
    this.low += digest.readBigInt64BE(8);
    this.rows += 1;
  }

  toString(): string {
    return `${this.rows} ${this.high} ${this.low}`;
  }
}

const [isNull, isThere] = [Buffer.from([0]), Buffer.from([1])];

function bytesOf(value: NonNullable<Parameter>, kind: Column["kind"]): Uint8Array {
  if (value instanceof Uint8Array) return value;
  switch (kind) {
    case "integer":
      return int8(BigInt(value));
    case "float": {
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeDoubleBE(Number(value));
      return bytes;
    }
    case "text":
    case "bytes":
      return Buffer.from(plainText(String(value)));
  }
}

function int8(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** What `RowDigest` says of these rows, as PostgreSQL reads them. */
export async function digestOf(db: Kysely<DB>, table: string, columns: readonly Column[]): Promise<string> {
  const row = sql.join(columns.map(fieldOf), sql` || `);
  const { rows } = await sql<{ digest: string }>`
    select concat_ws(' ', count(*), coalesce(sum(${lane(1)}), 0), coalesce(sum(${lane(17)}), 0)) as digest
    from (select encode(sha256(${row}), 'hex') as hash from ${sql.table(table)}) as hashes`.execute(db);
  return rows[0]?.digest ?? "";
}

const lane = (from: number) => sql`('x' || substr(hash, ${sql.lit(from)}, 16))::bit(64)::bigint::numeric`;

function fieldOf({ name, kind }: Column) {
  const column = sql.ref(name);
  const bytes = {
    text: sql`convert_to(${column}, 'UTF8')`,
    integer: sql`int8send(${column})`,
    float: sql`float8send(${column})`,
    bytes: column,
  }[kind];
  return sql`case when ${column} is null then '\\x00'::bytea
    else '\\x01'::bytea || int8send(octet_length(${bytes})::bigint) || ${bytes} end`;
}
