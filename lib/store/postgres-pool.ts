import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient } from "pg";
import Cursor from "pg-cursor";
import { beforeDatabaseWrite } from "@/lib/faults/fault-points";
import type { SessionCount } from "./engine";
import { StoreError } from "./errors";
import { toParameter } from "./parameter";
import { toConnectError, toStoreError } from "./postgres-fault";
import { nameSession, newPool, prepareSession } from "./postgres-session";

/** With those of the log, of the lease, of hints and of files an instance has 15. */
const maxSessions = 9;

interface PoolOptions {
  /** Of this instance at the moment, undefined before it has joined: what its sessions are called. */
  id?: () => string | undefined;
  /** Told of each statement before it runs, `begin` and `commit` too. */
  onStatement?: ((sql: string) => void) | undefined;
}

/** So long a server that could not be reached is not tried again by those who waited for their turn meanwhile. */
const retryMs = 1_000;

/**
 * Sessions for Kysely. What writes takes turns, as with SQLite: transactions here read, decide and write, and PostgreSQL
 * would let another one write in between. Within the process they wait for each other, so that they need one session
 * together, and a transaction then for the lock that those of other instances take.
 */
export function openPool(
  url: string,
  { id = () => undefined, ...options }: PoolOptions = {},
): PostgresPool & { sessions(): SessionCount } {
  const pool = newPool(url, { max: maxSessions });
  /** With the instance whose name they have. */
  const prepared = new WeakMap<PoolClient, string | undefined>();
  const turns = new Turns();
  let failed: { at: number; cause: unknown } | undefined;
  const connect = async (): Promise<PoolClient> => {
    if (failed && pool.idleCount === 0 && performance.now() - failed.at < retryMs) throw again(failed.cause);
    const client = await pool.connect().catch((cause: unknown) => {
      failed = { at: performance.now(), cause: toConnectError(cause) };
      throw failed.cause;
    });
    const name = id();
    if (prepared.has(client) && prepared.get(client) === name) return client;
    try {
      if (!prepared.has(client)) await prepareSession(client);
      if (name !== undefined) await nameSession(client, name);
    } catch (cause) {
      client.release(true);
      throw cause;
    }
    prepared.set(client, name);
    return client;
  };
  return {
    connect: async () => new LazyClient(connect, turns, options),
    end: () => pool.end(),
    sessions: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    options: {},
  };
}

/** A new one for each who is told: Kysely writes into the one that it gets. */
const again = (cause: unknown): unknown =>
  cause instanceof StoreError ? new StoreError(cause.code, cause.message, { cause: cause.cause }) : cause;

/** Who has the turn; the others get it in the order in which they have asked. */
class Turns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves with the function that ends the turn. */
  async take(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.last;
    this.last = promise;
    await before;
    return resolve;
  }
}

/** Any number; the same in each version of Meguri. */
const writeLock = 7_236_834;
/**
 * One that another instance holds is let go when its transaction ends; where that one hangs its server ends the session after
 * 3 s, which is longer than anybody waits for another lock.
 */
const beginInTurn = `begin; set local lock_timeout = '8s'; select pg_advisory_xact_lock(${writeLock});
  set local lock_timeout = '2s'`;

const isWrite = /^(insert|update|delete)/i;
const isEnd = /^(commit|rollback)$/;

/** Takes a session when it has its turn: those who wait for theirs leave the sessions to those who read. */
class LazyClient implements PostgresPoolClient, CursorSession {
  readonly broken = Promise.withResolvers<void>();
  private client: PoolClient | undefined;
  private isBroken = false;
  private endTurn: (() => void) | undefined;

  constructor(
    private readonly connect: () => Promise<PoolClient>,
    private readonly turns: Turns,
    private readonly options: Pick<PoolOptions, "onStatement">,
  ) {}

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(
    sql: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof sql === "string") return this.run<Row>(sql, parameters);
    return (sql as PagedCursor<Row>).on(this);
  }

  release(isUnusable = false): void {
    this.client?.off("error", this.noteBroken);
    this.client?.release(isUnusable || this.isBroken);
    this.client = undefined;
    this.leave();
  }

  private async run<Row>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    this.options.onStatement?.(sql);
    const parameters = values.map(toParameter);
    const isAlone = !this.endTurn && isWrite.test(sql);
    if (isAlone || sql === "begin") this.endTurn = await this.turns.take();
    try {
      const client = await this.get();
      const ask = async () => (await client.query(sql, parameters)) as unknown as PostgresQueryResult<Row>;
      if (sql === "begin") return (await client.query(beginInTurn)) as unknown as PostgresQueryResult<Row>;
      if (isAlone) return await inTransaction(client, ask);
      if (sql === "commit") beforeDatabaseWrite?.();
      return await ask();
    } catch (cause) {
      throw toStoreError(cause);
    } finally {
      if (isAlone || isEnd.test(sql)) this.leave();
    }
  }

  async get(): Promise<PoolClient> {
    if (this.client) return this.client;
    const client = await this.connect();
    // Else the process ends when its session breaks between two statements.
    client.on("error", this.noteBroken);
    this.client = client;
    return client;
  }

  readonly noteBroken = (): void => {
    this.isBroken = true;
    this.broken.resolve();
  };

  private leave(): void {
    this.endTurn?.();
    this.endTurn = undefined;
  }
}

/** A write by itself, which must not come between what another transaction reads and what it writes. */
async function inTransaction<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query(beginInTurn);
  try {
    const result = await work();
    beforeDatabaseWrite?.();
    await client.query("commit");
    return result;
  } catch (cause) {
    await client.query("rollback").catch(() => {});
    throw cause;
  }
}

/** Rows that are read at first and at most: who wants few gets few, and who wants all asks seldom. */
const [firstRows, mostRows] = [8, 256];

interface CursorSession {
  get(): Promise<PoolClient>;
  /** It cannot be used any more. */
  noteBroken(): void;
  broken: { promise: Promise<void> };
}

/** Reads more rows at once than it is asked for. */
export class PagedCursor<Row> implements PostgresCursor<Row> {
  private session: CursorSession | undefined;
  private cursor: Promise<Cursor<Row>> | undefined;
  private rows = firstRows;

  constructor(
    private readonly sql: string,
    private readonly values: unknown[],
  ) {}

  on(session: CursorSession): this {
    this.session = session;
    return this;
  }

  async read(): Promise<Row[]> {
    this.cursor ??= this.open();
    const { rows } = this;
    this.rows = Math.min(mostRows, 2 * rows);
    try {
      return await (await this.cursor).read(rows);
    } catch (cause) {
      this.session?.noteBroken();
      throw toStoreError(cause);
    }
  }

  async close(): Promise<void> {
    const cursor = await this.cursor?.catch(() => undefined);
    // It waits for a word of the server, which never comes where the connection is gone.
    if (cursor) await Promise.race([cursor.close(), this.session?.broken.promise]);
  }

  private async open(): Promise<Cursor<Row>> {
    if (!this.session) throw new Error("A cursor belongs to a session.");
    const client = await this.session.get();
    return client.query(new Cursor<Row>(this.sql, this.values.map(toParameter)));
  }
}
