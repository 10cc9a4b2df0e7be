import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { ask } from "@/lib/store/testing/postgres-server";
import { copyEmptyStore, fastParent, newDatabase } from "@/lib/store/testing/temp-store";

/** Where people reach the application of tests. With a PUBLIC_URL passkeys need a name. */
export const host = process.env.STORE_ENGINE === "postgres" ? "localhost:3999" : "127.0.0.1:3999";

/** The variables of an application on the engine that this run of the tests is about, and what takes its database away. */
export async function databaseEnv(): Promise<{ env: Record<string, string>; drop(): Promise<void> }> {
  if (process.env.STORE_ENGINE !== "postgres") return { env: {}, drop: async () => {} };
  const { url, drop } = await newDatabase();
  const env = { DATABASE_URL: url, APP_SECRET: "a secret of 32 characters or more" };
  return { env: { ...env, PUBLIC_URL: `http://${host}` }, drop };
}

/** A folder for an application; in its `data` is an empty store. */
export async function applicationDir(): Promise<string> {
  const dir = await mkdtemp(join(fastParent(), "meguri-api-"));
  const data = join(dir, "data");
  await mkdir(data);
  if (process.env.STORE_ENGINE !== "postgres") copyEmptyStore(data);
  return dir;
}

/** A database of PostgreSQL without a table, and how it is asked something past the application. */
export async function emptyDatabase() {
  const { url, drop } = await newDatabase("template1");
  return { url, drop, ask: (statement: string) => ask(url, statement) };
}
