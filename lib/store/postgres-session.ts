import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Client, type ClientBase, type ClientConfig, Pool, type PoolConfig, types } from "pg";
import { StoreError } from "./errors";
import { toConnectError } from "./postgres-fault";

const connectMs = 5_000;
/** Longer than the server gives a statement: no word after it means that the line has gone silent. */
export const silentMs = 15_000;

/** Numbers of any size come as numbers: times and sums of bytes stay far below 2^53. */
const numbers: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC]);

/** How each session of this store connects, before it is prepared. */
export const sessionConfig = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: "meguri",
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: {
    getTypeParser: ((oid: number, format?: "text") =>
      numbers.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
  },
});

/** Sessions that are opened when they are asked for; who gets one prepares it. */
export function newPool(url: string, config: PoolConfig): Pool {
  const pool = new Pool({ ...sessionConfig(url), ...config });
  // An idle session broke; the pool opens another.
  pool.on("error", () => {});
  // Nobody else listens while a session is prepared.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** For an instance and its sessions: at most 63 bytes, and nothing that ends a string of SQL. */
export const newInstanceId = (): string =>
  `meguri ${hostname()
    .replace(/[^\w.-]/g, "")
    .slice(0, 30)} ${process.pid} ${randomUUID().slice(0, 8)}`;

/** A process among those on one database. */
export interface SessionOwner {
  /** The name of its sessions. Another one once others were told that nothing of the former name writes any more. */
  readonly id: string;
  /** How often the server did not answer: sessions from before are left then, as their lines may be dead too. */
  readonly faults: number;
}

/** Changes when sessions from before are to be left. */
export const markOf = ({ id, faults }: SessionOwner): string => `${id} ${faults}`;

/**
 * What each session begins with. A machine that is gone gives up what it holds after 25 s, a process that hangs its locks
 * after 3, nobody waits for ever, and what is committed survives a power cut, whatever the URL or the server says.
 */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(
    `set idle_in_transaction_session_timeout = '3s'; set lock_timeout = '2s'; set statement_timeout = '10s';
    set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3;
    set tcp_user_timeout = '25s'; set synchronous_commit = on; set client_min_messages = warning`,
  );
}

/**
 * Gives a session the name of its instance. Who takes the runs of an instance over deletes its row and then ends all sessions
 * of that name: one that finds the row after it has its name is either ended by them, or belongs to a living instance.
 */
export async function nameSession(client: ClientBase, id: string): Promise<void> {
  await client.query(`set application_name = '${id}'`);
  const { rowCount } = await client.query("select from instance where id = $1", [id]);
  if (rowCount === 0)
    throw new StoreError(
      "io",
      "The database is not in use by this process at the moment; try again in a few seconds.",
    );
}

/**
 * Hangs up a session that has not answered after so many ms, and rejects as where the line breaks. The system would send again
 * for a quarter of an hour before it gives up a line that the network has lost.
 */
export function unlessSilent<Answer>(
  client: ClientBase,
  answer: Promise<Answer>,
  mostMs = silentMs,
): Promise<Answer> {
  const { promise: isSilent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error("Connection terminated, as no answer has come"));
    void (client as Client).end();
  }, mostMs);
  return Promise.race([answer, isSilent]).finally(() => clearTimeout(timer));
}

/** One that the caller ends. Throws what keeps it from being opened as a StoreError. */
export async function openSession(
  url: string,
  { id, onGone, ...config }: ClientConfig & { id?: string; onGone: () => void },
): Promise<Client> {
  const client = new Client({ ...sessionConfig(url), ...config });
  client.on("error", onGone);
  client.on("end", onGone);
  try {
    await client.connect();
    await checkVersion(client);
    await prepareSession(client);
    if (id !== undefined) await nameSession(client, id);
    return client;
  } catch (cause) {
    // Not waited for: the line may say nothing any more.
    client.end().catch(() => {});
    throw toConnectError(cause);
  }
}

/** The session that writes the log, one commit after the other; opened when it is asked for, and again where it broke. */
export class LogSession {
  private opened: { mark: string; client: Promise<Client> } | undefined;

  constructor(
    private readonly url: string,
    private readonly owner: SessionOwner,
    private readonly mostMs = silentMs,
  ) {}

  get(): Promise<Client> {
    const { id } = this.owner;
    const mark = markOf(this.owner);
    if (this.opened?.mark === mark) return this.opened.client;
    void this.close();
    const onGone = () => {
      if (this.opened === opened) this.opened = undefined;
    };
    const client = openSession(this.url, { id, onGone, query_timeout: this.mostMs });
    const opened = { mark, client };
    this.opened = opened;
    client.catch(onGone);
    return client;
  }

  async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    await opened?.client.then((client) => client.end()).catch(() => {});
  }
}

const oldestVersion = 15;

async function checkVersion(client: ClientBase): Promise<void> {
  const { rows } = await client.query("show server_version");
  const version = String(rows[0].server_version);
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new StoreError(
      "io",
      `PostgreSQL ${version} is too old; set DATABASE_URL to a server of version ${oldestVersion} or newer.`,
    );
}
