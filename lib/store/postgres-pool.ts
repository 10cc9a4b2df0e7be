import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient } from "pg";
import { beforeDatabaseWrite } from "@/lib/faults/fault-points";
import type { SessionCount } from "./engine";
import { StoreError } from "./errors";
import type { CursorSession, PagedCursor } from "./paged-cursor";
import { toParameter } from "./parameter";
import { isConnectionGone, toConnectError, toStoreError } from "./postgres-fault";
import {
  markOf,
  nameSession,
  newPool,
  prepareSession,
  type SessionOwner,
  unlessSilent,
} from "./postgres-session";

/** With those of the log, of the lease, of hints and of files an instance has 15. */
const maxSessions = 9;

interface PoolOptions {
  /** Whose sessions they are; without it they are nobody's. */
  owner?: SessionOwner;
  /** Told of each statement before it runs, `begin` and `commit` too. */
  onStatement?: ((sql: string) => void) | undefined;
  /** A session that has not answered for so long is hung up. */
  mostMs?: number;
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
  { owner, ...options }: PoolOptions = {},
): PostgresPool & { sessions(): SessionCount } {
  const pool = newPool(url, { max: maxSessions });
  /** With the mark of their owner. */
  const prepared = new WeakMap<PoolClient, string>();
  const turns = new Turns();
  let failed: { at: number; cause: unknown } | undefined;
  const connect = async (): Promise<PoolClient> => {
    if (failed && pool.idleCount === 0 && performance.now() - failed.at < retryMs) throw again(failed.cause);
    const client = await pool.connect().catch((cause: unknown) => {
      failed = { at: performance.now(), cause: toConnectError(cause) };
      throw failed.cause;
    });
    const mark = owner ? markOf(owner) : "";
    if (prepared.has(client)) {
      if (prepared.get(client) === mark) return client;
      client.release(true);
      return connect();
    }
    try {
      await unlessSilent(client, prepare(client, owner?.id), options.mostMs);
    } catch (cause) {
      client.release(true);
      throw cause;
    }
    prepared.set(client, mark);
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

async function prepare(client: PoolClient, name: string | undefined): Promise<void> {
  await prepareSession(client);
  if (name !== undefined) await nameSession(client, name);
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
/** What comes after it may take as long as it says. */
const isPatience = /\bset local statement_timeout\b/i;

/** Takes a session when it has its turn: those who wait for theirs leave the sessions to those who read. */
class LazyClient implements PostgresPoolClient, CursorSession {
  readonly broken = Promise.withResolvers<void>();
  private client: PoolClient | undefined;
  private isBroken = false;
  private isPatient = false;
  private endTurn: (() => void) | undefined;

  constructor(
    private readonly connect: () => Promise<PoolClient>,
    private readonly turns: Turns,
    private readonly options: Pick<PoolOptions, "onStatement" | "mostMs">,
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
      this.isPatient ||= isPatience.test(sql);
      if (sql === "begin") return await this.ask(beginInTurn);
      if (isAlone) return await this.inTransaction(() => this.ask(sql, parameters));
      if (sql === "commit") beforeDatabaseWrite?.();
      return await this.ask(sql, parameters);
    } catch (cause) {
      if (isConnectionGone(cause)) this.noteBroken();
      throw toStoreError(cause);
    } finally {
      if (isAlone || isEnd.test(sql)) this.leave();
    }
  }

  /** A write by itself, which must not come between what another transaction reads and what it writes. */
  private async inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.ask(beginInTurn);
    try {
      const result = await work();
      beforeDatabaseWrite?.();
      await this.ask("commit");
      return result;
    } catch (cause) {
      await this.ask("rollback").catch(() => {});
      throw cause;
    }
  }

  private async ask<Row>(sql: string, parameters?: unknown[]): Promise<PostgresQueryResult<Row>> {
    const client = await this.get();
    return (await this.heard(client.query(sql, parameters))) as unknown as PostgresQueryResult<Row>;
  }

  async heard<Answer>(answer: Promise<Answer>): Promise<Answer> {
    if (!this.client || this.isPatient) return answer;
    return unlessSilent(this.client, answer, this.options.mostMs);
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
