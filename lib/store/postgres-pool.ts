import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import { Pool, type PoolClient } from "pg";
import Cursor from "pg-cursor";
import { beforeDatabaseWrite } from "@/lib/faults/fault-points";
import { toParameter } from "./parameter";
import { toStoreError } from "./postgres-fault";
import { prepareSession, sessionConfig } from "./postgres-session";

/** With the session of the log and those of administrators an instance stays below 15. */
const maxSessions = 10;

interface PoolOptions {
  /** What administrators see of its sessions. */
  name: string;
  /** Told of each statement before it runs, `begin` and `commit` too. */
  onStatement?: ((sql: string) => void) | undefined;
  /** Before each write; fails where this process has the database no more. */
  hold?: () => Promise<unknown>;
}

/**
 * Sessions for Kysely. What writes takes turns, as with SQLite: transactions here read, decide and write, and PostgreSQL
 * would let another one write in between. One process has the database for itself, so that a turn of this process is enough.
 */
export function openPool(url: string, { name, ...options }: PoolOptions): PostgresPool {
  const pool = new Pool({ ...sessionConfig(url, name), max: maxSessions });
  // An idle session broke; the pool opens another.
  pool.on("error", () => {});
  // Nobody else listens while a session is prepared.
  pool.on("connect", (client) => client.on("error", () => {}));
  const prepared = new WeakSet<PoolClient>();
  const turns = new Turns();
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    if (prepared.has(client)) return client;
    try {
      await prepareSession(client);
    } catch (cause) {
      client.release(true);
      throw cause;
    }
    prepared.add(client);
    return client;
  };
  return {
    connect: async () => new LazyClient(connect, turns, options),
    end: () => pool.end(),
    options: {},
  };
}

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
    private readonly options: Omit<PoolOptions, "name">,
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
      const isCommit = isAlone || sql === "commit";
      if (isCommit || sql === "begin") await this.options.hold?.();
      const client = await this.get();
      if (isCommit) beforeDatabaseWrite?.();
      return (await client.query(sql, parameters)) as unknown as PostgresQueryResult<Row>;
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
