import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { DatabaseInUseError, StoreError } from "./errors";
import { toConnectError } from "./postgres-fault";
import { checkVersion, prepareSession, sessionConfig } from "./postgres-session";

/** Any number; the same in each version of Meguri. */
const lockKey = 7_236_834;
/** A process that was killed has the lock until its server notices. */
const attempts = 40;
const pauseMs = 50;
const retryMs = 1_000;

/**
 * A session that makes this process the only one on the database. Where it breaks it is opened again at once, and each second
 * while the server is away. Once another process has come first the database is lost for good: that one has taken over the
 * runs of this one.
 */
export class LockSession {
  private client: Promise<Client> | undefined;
  private failed: { at: number; cause: unknown } | undefined;
  private lost: DatabaseInUseError | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isTaken = false;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {}

  /** At the start. Throws DatabaseInUseError and StoreError. */
  async take(): Promise<void> {
    await this.open();
    this.isTaken = true;
  }

  /** Before each write. Only the log is written over this session, one commit after the other. Throws `io`. */
  async hold(): Promise<Client> {
    if (this.isClosed) throw new StoreError("io", "The store is closed.");
    if (this.lost) throw toFault(this.lost);
    // Those who wait for their turn meanwhile need not each wait for a server that is away.
    if (!this.client && this.failed && performance.now() - this.failed.at < retryMs)
      throw toFault(this.failed.cause);
    try {
      return await (this.client ?? this.open());
    } catch (cause) {
      throw toFault(cause);
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.isClosed = true;
    this.client = undefined;
    clearTimeout(this.timer);
    await client?.then((opened) => opened.end()).catch(() => {});
  }

  private open(): Promise<Client> {
    const opening = this.connect();
    opening.catch((cause: unknown) => {
      this.client = undefined;
      this.failed = { at: performance.now(), cause };
      if (this.isTaken && cause instanceof DatabaseInUseError) this.lose(cause);
    });
    this.client = opening;
    return opening;
  }

  private async connect(): Promise<Client> {
    const client = new Client(sessionConfig(this.url, this.name));
    let isOpen = false;
    const reopen = () => {
      if (!isOpen || this.isClosed) return;
      isOpen = false;
      this.client = undefined;
      this.reopen();
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

  private reopen(): void {
    this.hold().catch(() => {
      if (!this.isClosed && !this.lost) this.timer = setTimeout(() => this.reopen(), retryMs).unref();
    });
  }

  private lose(cause: DatabaseInUseError): void {
    this.lost = cause;
    process.emitWarning(`Nothing is written any more until Meguri is started again: ${cause.message}`);
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

/** A new one for each who is told: Kysely writes into the one that it gets. */
function toFault(cause: unknown): unknown {
  if (cause instanceof DatabaseInUseError) return new StoreError("io", cause.message, { cause });
  return cause instanceof StoreError
    ? new StoreError(cause.code, cause.message, { cause: cause.cause })
    : cause;
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
