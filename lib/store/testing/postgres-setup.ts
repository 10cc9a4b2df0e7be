import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openPostgresEngine } from "@/lib/store/postgres-engine";
import { findPostgres } from "./find-postgres.mjs";
import { expandTables } from "./newer-tables";
import { ask, startPostgres } from "./postgres-server";

/** Of which each test gets a copy: to copy it takes less than to make its tables. */
export const template = "store_template";

declare module "vitest" {
  interface ProvidedContext {
    /** By the name of a database, how it is reached: `{}` stands for the name. */
    postgresUrl: string;
  }
}

/** A server for one run of the tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = findPostgres();
  if (!programs) throw new Error("PostgreSQL is not installed.");
  const server = await startPostgres(programs);
  await ask(server.url("postgres"), `create database ${template}`);
  const dataDir = mkdtempSync(join(tmpdir(), "meguri-store-"));
  await (await openPostgresEngine({ dataDir, url: server.url(template) })).close();
  rmSync(dataDir, { recursive: true });
  // By hand: all tests of the store once more, where a newer version has added to each table.
  if (process.env.NEWER_TABLES) await ask(server.url(template), expandTables);
  project.provide("postgresUrl", server.url("{}"));
  return server.stop;
}
