import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientBase, type ClientConfig, types } from "pg";
import { DatabaseInUseError, StoreError } from "./errors";
import { toConnectError } from "./postgres-fault";

const connectMs = 5_000;

/** Numbers of any size come as numbers: times and sums of bytes stay far below 2^53. */
const numbers: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** How each session of this store connects; `name` is what administrators see of it. */
export const sessionConfig = (url: string, name: string): ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: {
    getTypeParser: ((oid: number, format?: "text") =>
      numbers.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
  },
});

/** For a name of a session, of at most 63 bytes. */
export const newSessionName = (): string =>
  `meguri ${hostname().slice(0, 30)} ${process.pid} ${randomUUID().slice(0, 8)}`;

/**
 * What each session begins with. A machine that is gone lets go of its locks after 25 s, and of the database; a process that hangs lets go of its locks, nobody waits for ever, and what is
 * committed survives a power cut, whatever the URL or the server says.
 */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(
    `set idle_in_transaction_session_timeout = '3s'; set lock_timeout = '2s'; set statement_timeout = '10s';
    set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
    set tcp_user_timeout = '25s'; set synchronous_commit = on; set client_min_messages = warning`,
  );
}

/** Any number; the same in each version of Meguri. */
const lockKey = 7_236_834;
/** A process that was killed has the lock until its server notices. */
const attempts = 40;
const pauseMs = 50;
const retryMs = 1_000;

/**
 * A session that makes this process the only one on the database, for as long as it lasts. Where it breaks it is opened
 * again at once, or before the next write, and fails then when another process has come meanwhile.
 */
export class LockSession {
  private client: Promise<Client> | undefined;
  private isClosed = false;
  private failed = { at: Number.NEGATIVE_INFINITY, cause: undefined as unknown };

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {}

  /** Only the log is written over it, one commit after the other. Throws DatabaseInUseError and `io`. */
  async get(): Promise<Client> {
    if (this.isClosed) throw new StoreError("io", "The store is closed.");
    // Those who wait for their turn meanwhile need not each wait for a server that is away.
    if (!this.client && performance.now() - this.failed.at < retryMs) throw this.failed.cause;
    this.client ??= this.connect();
    try {
      return await this.client;
    } catch (cause) {
      this.client = undefined;
      this.failed = { at: performance.now(), cause };
      throw cause;
    }
  }

  /** Before each write once the store is open: `io` where another process has the database now. */
  async hold(): Promise<Client> {
    try {
      return await this.get();
    } catch (cause) {
      throw cause instanceof DatabaseInUseError ? new StoreError("io", cause.message, { cause }) : cause;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.isClosed = true;
    this.client = undefined;
    await client?.then((opened) => opened.end()).catch(() => {});
  }

  private async connect(): Promise<Client> {
    const client = new Client(sessionConfig(this.url, this.name));
    let isOpen = false;
    const reopen = () => {
      if (!isOpen || this.isClosed) return;
      isOpen = false;
      this.client = undefined;
      // A server that is not back yet is asked again before the next write.
      this.get().catch(() => {});
    };
    client.on("error", reopen);
    client.on("end", reopen);
    try {
      await client.connect();
      await checkVersion(client);
      await prepareSession(client);
      await this.lock(client);
      isOpen = true;
      return client;
    } catch (cause) {
      await client.end().catch(() => {});
      throw toConnectError(cause);
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

const oldestVersion = 15;

async function checkVersion(client: Client): Promise<void> {
  const { rows } = await client.query("show server_version");
  const version = String(rows[0].server_version);
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new StoreError(
      "io",
      `PostgreSQL ${version} is too old; set DATABASE_URL to a server of version ${oldestVersion} or newer.`,
    );
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
