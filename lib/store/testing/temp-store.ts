import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Pool } from "pg";
import { inject, onTestFinished, vi } from "vitest";
import type { Engine } from "@/lib/store/engine";
import type { Area } from "@/lib/store/migrations/migrations";
import { openStore, type StoreOptions } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { openPostgresEngine } from "@/lib/store/postgres-engine";
import { openSqliteEngine } from "@/lib/store/sqlite-engine";
import { ask } from "./postgres-server";
import { template } from "./postgres-setup";

/** A folder that is gone after the test. */
export const tempDir = (): string => newDir(tmpdir());

/** The same in memory, for a store. */
export const fastDir = (): string => newDir(fastParent());

/**
 * A folder in memory, where there is one. A kill keeps what was written, to whatever disk: only a power cut needs a real one,
 * and to sync it costs more than what is tested.
 */
export const fastParent = (): string => (hasRoom(memory) ? memory : tmpdir());

const memory = "/dev/shm";

/** In a container it may have a few megabytes. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 1_000_000_000;
}

function newDir(parent: string): string {
  const path = mkdtempSync(join(parent, "meguri-store-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Where a store is: with PostgreSQL each folder has a database, made when it is asked for and gone after the test. */
interface Place {
  dataDir: string;
  databaseUrl?: string;
}

const databases = new Map<string, Promise<string>>();

/** The place that belongs to a folder, for the engine that this run of the tests is about. */
export async function placeOf(dataDir: string): Promise<Place> {
  if (process.env.STORE_ENGINE !== "postgres") {
    copyEmptyStore(dataDir);
    return { dataDir };
  }
  const known = databases.get(dataDir) ?? createDatabase(template);
  databases.set(dataDir, known);
  return { dataDir, databaseUrl: await known };
}

/** Into a folder in which nothing is yet; what is no folder is left to the store. */
export function copyEmptyStore(dataDir: string): void {
  const from = inject("emptyStore");
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() || readdirSync(dataDir).length > 0) return;
  for (const name of ["meguri.db", "run-log.db"]) copyFileSync(join(from, name), join(dataDir, name));
}

/** One of PostgreSQL's that is gone after the test, without a table unless it has a template. */
export async function createDatabase(from = "template1"): Promise<string> {
  const { url, drop } = await newDatabase(from);
  onTestFinished(drop);
  return url;
}

/** The same; the caller drops it. */
export async function newDatabase(from = template): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  // One for all tests of a worker: to connect takes as long as to copy a database.
  admin ??= new Pool({ connectionString: urlOf("postgres"), max: 1, allowExitOnIdle: true });
  await admin.query(`create database ${name} template ${from} strategy file_copy`);
  return {
    url: urlOf(name),
    drop: async () => void (await admin?.query(`drop database ${name} with (force)`)),
  };
}

let admin: Pool | undefined;

const urlOf = (database: string): string => inject("postgresUrl").replace("{}", database);

/** A store on real files or on a real server, closed after the test. */
export async function openTempStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ ...options, ...(await placeOf(options.dataDir ?? fastDir())) });
  onTestFinished(() => store.close());
  return store;
}

/** Several on one database of PostgreSQL, each with a folder of its own, as instances have them. Closed after the test. */
export async function openSharedStores(count: number): Promise<Store[]> {
  const databaseUrl = await createDatabase(template);
  const open = async () => {
    const store = await openStore({ dataDir: tempDir(), databaseUrl, isShared: true });
    onTestFinished(() => store.close());
    return store;
  };
  const stores = await Promise.all(Array.from({ length: count }, open));
  // Who is alone sends no hints, and the first one was.
  if (count > 1)
    await vi.waitUntil(() => stores.every(({ members }) => members.hasOthers), { timeout: 10_000 });
  return stores;
}

/** Who opens it closes it. */
export async function openTempEngine(
  dataDir = fastDir(),
  options: Pick<StoreOptions, "onStatement"> = {},
): Promise<Engine> {
  const { databaseUrl: url } = await placeOf(dataDir);
  return url === undefined
    ? openSqliteEngine(dataDir, options)
    : openPostgresEngine({ dataDir, url, ...options });
}

/** Changes or reads stored rows by hand, past a store that may be open. */
export async function askStored(
  dataDir: string,
  area: Area,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const { databaseUrl } = await placeOf(dataDir);
  if (databaseUrl !== undefined) return ask(databaseUrl, statement);
  const raw = new DatabaseSync(join(dataDir, area === "records" ? "meguri.db" : "run-log.db"));
  try {
    return raw.prepare(statement).all();
  } finally {
    raw.close();
  }
}
