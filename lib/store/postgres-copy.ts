import { type ClientBase, Query, type QueryResultRow } from "pg";

/** What every copy in binary form begins with: a signature of 11 bytes, flags, and the length of an extension, which is 0. */
const headerBytes = 19;

/** `pg` knows copies, and leaves their bytes to whoever extends it. */
class CopyOut extends Query<QueryResultRow> {
  readonly pieces: Buffer[] = [];

  /** The memory of `chunk` is used again for what comes next. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.pieces.push(Buffer.from(chunk));
  }
}

/**
 * The fields of the one row that a query gives, as PostgreSQL sends them in binary form; undefined where there is none. In a
 * result bytes come as digits, which takes `pg` five times as long. Copies take no parameters.
 */
export async function copyRow(
  client: ClientBase,
  select: string,
): Promise<Buffer<ArrayBuffer>[] | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const copy = new CopyOut(`copy (${select}) to stdout (format binary)`, (cause) =>
    cause ? reject(cause) : resolve(),
  );
  client.query(copy);
  await promise;
  const bytes = Buffer.concat(copy.pieces);
  const count = bytes.readInt16BE(headerBytes);
  // The end of the copy.
  if (count < 0) return undefined;
  const fields: Buffer<ArrayBuffer>[] = [];
  for (let at = headerBytes + 2; fields.length < count; ) {
    const end = at + 4 + bytes.readInt32BE(at);
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}
