import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientBase, type ClientConfig, types } from "pg";
import { DatabaseInUseError, StoreError } from "./errors";
import { toStoreError } from "./postgres-fault";

const connectMs = 5_000;

/** Numbers of any size come as numbers: times and sums of bytes stay far below 2^53. */
const numbers: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** How each session of this store connects; `name` is what administrators see of it. */
export const sessionConfig = (url: string, name: string): ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  types: {
    getTypeParser: ((oid: number, format?: "text") =>
      numbers.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
  },
});

/** For a name of a session, of at most 63 bytes. */
export const newSessionName = (): string =>
  `meguri ${hostname().slice(0, 30)} ${process.pid} ${randomUUID().slice(0, 8)}`;

/**
 * What each session begins with. A process that stands still lets go of its locks, nobody waits for ever, and what is
 * committed survives a power cut, whatever the URL or the server says.
 */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(
    `set idle_in_transaction_session_timeout = '3s'; set lock_timeout = '2s'; set statement_timeout = '10s';
    set synchronous_commit = on; set client_min_messages = warning`,
  );
}

/** Any number; the same in each version of Meguri. */
const lockKey = 7_236_834;
/** A process that was killed has the lock until its server notices. */
const attempts = 40;
const pauseMs = 50;

/**
 * A session that makes this process the only one on the database, for as long as it lasts. It is opened again where it
 * broke, and fails then when another process has come meanwhile.
 */
export class HoldingSession {
  private client: Client | undefined;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {}

  /** Never to be used by two at once. Throws DatabaseInUseError and `io`. */
  async get(): Promise<Client> {
    if (this.isClosed) throw new StoreError("io", "The store is closed.");
    this.client ??= await this.connect();
    return this.client;
  }

  async close(): Promise<void> {
    const { client } = this;
    this.isClosed = true;
    this.client = undefined;
    await client?.end().catch(() => {});
  }

  private async connect(): Promise<Client> {
    const client = new Client(sessionConfig(this.url, this.name));
    const forget = () => {
      if (this.client === client) this.client = undefined;
    };
    client.on("error", forget);
    client.on("end", forget);
    try {
      await client.connect();
      await prepareSession(client);
      await this.lock(client);
      return client;
    } catch (cause) {
      await client.end().catch(() => {});
      throw toStoreError(cause);
    }
  }

  private async lock(client: Client): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { rows } = await client.query("select pg_try_advisory_lock($1) as held", [lockKey]);
      if (rows[0].held) return;
      const holder = await holderOf(client);
      // A session of ours whose connection broke, which the server has not noticed.
      if (holder?.name === this.name) await client.query("select pg_terminate_backend($1)", [holder.pid]);
      if (attempt === attempts) throw new DatabaseInUseError(holder?.name);
      await sleep(pauseMs);
    }
  }
}

async function holderOf(client: Client): Promise<{ pid: number; name: string } | undefined> {
  const { rows } = await client.query(
    `select a.pid, a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = 0 and l.objid = $1 and l.granted`,
    [lockKey],
  );
  return rows[0];
}
