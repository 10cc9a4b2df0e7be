import { Kysely } from "kysely";
import type { Bus } from "./bus";
import { prepareDataDir } from "./data-dir";
import type { Engine } from "./engine";
import { lockDataDir } from "./lock-data-dir";
import { openPostgresBlobs } from "./postgres-blobs";
import { NotifyBus } from "./postgres-bus";
import { openCommands } from "./postgres-commands";
import { postgresDialect } from "./postgres-dialect";
import { emptyTables } from "./postgres-empty";
import { toStoreError } from "./postgres-fault";
import { runAlone } from "./postgres-instances";
import { openLeases } from "./postgres-leases";
import { PostgresLogWriter } from "./postgres-log-writer";
import { Membership } from "./postgres-membership";
import { migrateBeside } from "./postgres-migrate";
import { openPool } from "./postgres-pool";
import { LogSession } from "./postgres-session";
import { readSizes } from "./postgres-sizes";
import { readTails } from "./postgres-tails";
import type { RedisBus, RedisOptions } from "./redis-bus";
import type { DB } from "./schema";

export interface PostgresOptions {
  /** For what is beside the database: secrets, and what belongs to this machine. */
  dataDir: string;
  url: string;
  /** Beside others on the same database; by itself otherwise, which is a DatabaseInUseError where another one is. */
  isShared?: boolean | undefined;
  /** Refuses a database of a newer version even where this one can go on with it. */
  isExact?: boolean | undefined;
  /** Carries hints in place of the database, as long as it answers. */
  redis?: RedisOptions | undefined;
  /** Told of each statement on the records before it runs, for those who count them. */
  onStatement?: ((sql: string) => void) | undefined;
}

/**
 * Records and logs in one database of a PostgreSQL server, 15 or newer. What belongs to this process alone, as the logs of its
 * runs, is written over sessions that have its name, and are ended before another one takes it over.
 * Throws StoreError, DatabaseInUseError and DataDirInUseError, and leaves nothing open then.
 */
export async function openPostgresEngine(options: PostgresOptions): Promise<Engine> {
  const { dataDir, url, isShared = false, isExact, redis, onStatement } = options;
  prepareDataDir(dataDir);
  const unlock = await lockDataDir(dataDir);
  const members = new Membership(url, !isShared);
  const pool = openPool(url, { owner: members, onStatement });
  const db = new Kysely<DB>({ dialect: postgresDialect(pool) });
  const session = new LogSession(url, members);
  const blobs = openPostgresBlobs(url, members);
  const notify = new NotifyBus(url, members);
  const overRedis = redis && (await openRedis(redis, members, notify));
  const bus: Bus = overRedis ?? notify;
  const writer = new PostgresLogWriter(
    session,
    () => members.id,
    (runIds) => {
      for (const id of runIds) bus.publish(`run:${id}`);
    },
  );
  const close = async () => {
    try {
      writer.close();
      await blobs.close();
      await overRedis?.close();
      await notify.close();
      await db.destroy();
      await session.close();
      await members.close();
    } finally {
      unlock();
    }
  };
  try {
    await members.join();
    await notify.start();
    overRedis?.start();
    await migrateBeside(db, members.id, isExact);
    members.watchVersion();
  } catch (cause) {
    await close();
    throw toStoreError(cause);
  }
  return {
    dialect: "postgres",
    members: {
      get id() {
        return members.id;
      },
      mayBeMany: true,
      get hasOthers() {
        return members.hasOthers;
      },
      holds: () => members.holds(),
      remainingMs: () => members.remainingMs(),
      onLost: (listener) => members.onLost(listener),
      ended: (ids) => members.ended(db, ids),
    },
    bus,
    records: db,
    log: db,
    commands: openCommands(db, members, bus),
    leases: openLeases(db, members),
    blobs,
    write: (work) => writer.write(work),
    unsettled: () => [],
    tails: (places) => readTails(db, places),
    sessions: pool.sessions,
    sizes: () => readSizes(db),
    // The server does it by itself.
    giveBack: async () => false,
    checkpoint: async () => {},
    empty: () => writer.replaceAll(() => runAlone(url, members.id, db, () => emptyTables(db))),
    confirm: async () => {},
    close,
  };
}

/** Loaded for those who have one. */
async function openRedis(options: RedisOptions, members: Membership, notify: NotifyBus): Promise<RedisBus> {
  const { RedisBus } = await import("./redis-bus");
  return new RedisBus(options, members, notify);
}
