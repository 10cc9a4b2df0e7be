import { escapeLiteral, type PoolClient } from "pg";
import type { Blobs } from "./blob-ports";
import { StoreError } from "./errors";
import { copyRow } from "./postgres-copy";
import { isConnectionGone, toStoreError } from "./postgres-fault";
import { newPool, prepareSession, type SessionOwner, silentMs } from "./postgres-session";

/** So many parts of files are in memory on their way to the database or from it, and no more sessions are taken by them. */
const maxSessions = 3;
/** Files that one statement deletes: it has 10 s. */
const sweepBatch = 20;

const deletion = "delete from attachment_blob where name = any($1)";

const gone = (what: string) => new StoreError("not_found", `${what} is not there (any more).`);

/**
 * Over sessions of their own: uploads and downloads take none from the records, and need no turn, as no transaction relies on
 * what is here. A file counts when a row of `attachment` speaks of it, so that a process that others have taken for dead can
 * write nothing here that is ever seen: these sessions need not have its name.
 */
export function openPostgresBlobs(
  url: string,
  owner: Pick<SessionOwner, "faults"> = { faults: 0 },
): Blobs & { close(): Promise<void> } {
  const pool = newPool(url, { max: maxSessions, query_timeout: silentMs });
  /** With the faults there had been by then. */
  const prepared = new WeakMap<PoolClient, number>();
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const { faults } = owner;
    if (!prepared.has(client)) await prepare(client, faults);
    else if (prepared.get(client) !== faults) {
      client.release(true);
      return connect();
    }
    return client;
  };
  const prepare = async (client: PoolClient, faults: number) => {
    try {
      await prepareSession(client);
      prepared.set(client, faults);
    } catch (cause) {
      client.release(true);
      throw cause;
    }
  };
  const inSession = async <Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> => {
    try {
      const client = await connect();
      try {
        const value = await work(client);
        client.release();
        return value;
      } catch (cause) {
        client.release(isConnectionGone(cause));
        throw cause;
      }
    } catch (cause) {
      throw toStoreError(cause);
    }
  };
  const run = (text: string, values: readonly unknown[]) =>
    inSession((client) => client.query(text, [...values]));
  /** Puts the file `from` in the place of `to`, in one transaction. */
  const replace = (text: string, from: string, to: string) =>
    inSession(async (client) => {
      try {
        await client.query("begin");
        await client.query(deletion, [[to]]);
        const { rowCount } = await client.query(text, [from, to]);
        if (rowCount === 0) throw gone(`The file ${from}`);
        await client.query("commit");
      } catch (cause) {
        await client.query("rollback").catch(() => {});
        throw cause;
      }
    });
  const remove = async (names: readonly string[]) => {
    await run(deletion, [names]);
  };
  return {
    async add(blob, part, bytes) {
      const { rowCount } = await run(
        `insert into attachment_blob (name, part, bytes) select $1, $2::bigint, $3
        where $2 = 0 or exists (select 1 from attachment_blob where name = $1 and part = $2 - 1)`,
        [blob, part, bytes],
      );
      if (rowCount === 0) throw gone(`Part ${part - 1} of the file ${blob}`);
    },
    async read(blob, part) {
      const row = await inSession((client) =>
        copyRow(
          client,
          `select b.bytes, not exists (select 1 from attachment_blob n where n.name = b.name and n.part = b.part + 1)
          from attachment_blob b where b.name = ${escapeLiteral(blob)} and b.part = ${Math.trunc(part)}`,
        ),
      );
      const [bytes, isLast] = row ?? [];
      return bytes && { bytes, isLast: isLast?.[0] === 1 };
    },
    async has(blob) {
      const { rows } = await run("select 1 from attachment_blob where name = $1 and part = 0", [blob]);
      return rows.length > 0;
    },
    rename: (from, to) => replace("update attachment_blob set name = $2 where name = $1", from, to),
    copy: (from, to) =>
      replace(
        `insert into attachment_blob (name, part, bytes)
        select $2, part, bytes from attachment_blob where name = $1`,
        from,
        to,
      ),
    delete: remove,
    async bytes() {
      const { rows } = await run(
        "select coalesce(sum(octet_length(bytes)), 0) as sum from attachment_blob",
        [],
      );
      return rows[0].sum;
    },
    async sweep() {
      let names: string[];
      do {
        const { rows } = await run(
          `select name from attachment_blob b
          where not exists (select 1 from attachment a where a.id = split_part(b.name, '.', 1))
          group by name having max(written_at) < clock_timestamp() - interval '1 day' limit $1`,
          [sweepBatch],
        );
        names = rows.map((row) => row.name);
        await remove(names);
      } while (names.length === sweepBatch);
    },
    close: () => pool.end(),
  };
}
