import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type ClientBase, type ClientConfig, types } from "pg";
import { StoreError } from "./errors";

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

const oldestVersion = 15;

export async function checkVersion(client: ClientBase): Promise<void> {
  const { rows } = await client.query("show server_version");
  const version = String(rows[0].server_version);
  if (Number.parseInt(version, 10) < oldestVersion)
    throw new StoreError(
      "io",
      `PostgreSQL ${version} is too old; set DATABASE_URL to a server of version ${oldestVersion} or newer.`,
    );
}
