import { sql } from "kysely";
import { expect, test } from "vitest";
import { keptTables } from "./kept-settings";
import { newestVersion } from "./migrations/migrate";
import { type Migration, migrations } from "./migrations/migrations";
import { findNarrowing } from "./testing/find-narrowing";
import { nextVersion } from "./testing/newer-tables";
import { type Schema, schemaOf } from "./testing/schema-of";

const upTo = (version: number) => migrations.filter((migration) => migration.version <= version);

test("what a migration leaves is wide enough for each version that it says can go on with it", async () => {
  const faults: string[] = [];
  for (const { version, compatibleFrom } of migrations) {
    expect(compatibleFrom).toBeLessThanOrEqual(version);
    if (compatibleFrom === version) continue;
    const [before, after] = [await schemaOf(upTo(compatibleFrom)), await schemaOf(upTo(version))];
    const told = [...findNarrowing(before, after), ...findLost(before, after)];
    faults.push(...told.map((fault) => `migration ${version}, compatibleFrom ${compatibleFrom}: ${fault}`));
  }
  expect(faults).toEqual([]);
});

/** Older programs empty what they do not know when everything is deleted. */
function findLost(before: Schema, after: Schema): string[] {
  const hadTable = (name: string) => before.columns.some(({ table }) => table === name);
  const hasTable = (name: string) => after.columns.some(({ table }) => table === name);
  return keptTables.flatMap((name) =>
    hasTable(name) && !hadTable(name) ? `${name} is to be kept when everything is deleted` : [],
  );
}

let today: Schema | undefined;

/** Faults of one migration more. */
async function faultsOf(...statements: string[]): Promise<string[]> {
  const next: Migration = {
    ...{ version: nextVersion, area: "records", compatibleFrom: newestVersion() },
    up: async (db) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
  today ??= await schemaOf(migrations);
  return findNarrowing(today, await schemaOf([...migrations, next]));
}

test.each([
  ["a table", "create table newer_thing (id text primary key, user_id text not null)"],
  ["a column without a value", "alter table run add column newer text"],
  ["a column with one", "alter table run add column newer integer not null default 0"],
  ["an index", "create index newer on run (model)"],
  [
    "a unique index of a new column",
    "alter table run add column newer text",
    "create unique index n on run (newer)",
  ],
  [
    "a table whose rows go with those that they are of",
    "create table newer_thing (run_id text primary key references run (id) on delete cascade)",
  ],
])("%s may be added beside older programs", async (_, ...statements) => {
  expect(await faultsOf(...statements)).toEqual([]);
});

test.each([
  ["a table that goes", "run_answer.run_id is gone", "drop table run_answer"],
  ["a column that goes", "run.options is gone", "alter table run drop column options"],
  ["another name", "run.options is gone", "alter table run rename column options to choices"],
  [
    "a column that has to be written",
    "prompt.newer has to be written",
    "drop table prompt",
    "create table prompt (id text primary key, user_id text, body text, bytes integer, newer text not null)",
  ],
  [
    "a condition on what is there",
    "conversation (title) has to be unique",
    "create unique index u on conversation (title)",
  ],
  [
    "a reference that keeps rows",
    "newer_thing: FOREIGN KEY",
    "create table newer_thing (run_id text references run (id))",
  ],
])("%s is for newer programs alone", async (_, fault, ...statements) => {
  const found = await faultsOf(...statements);
  expect(found.join("\n")).toContain(fault);
});

test.runIf(process.env.STORE_ENGINE === "postgres").each([
  ["another type", "prompt.bytes has another type", "alter table prompt alter column bytes type numeric"],
  ["no null any more", "run.held_by takes no null", "alter table run alter column held_by set not null"],
  ["a value that goes", "share.views has no value", "alter table share alter column views drop default"],
  ["a check", "prompt: CHECK", "alter table prompt add check (bytes < 100)"],
  [
    "an index that inserts rely on",
    "is not unique any more",
    "alter table document drop constraint document_pkey",
  ],
  ["another trigger", "tell_of_setting is another one", "drop trigger tell_of_setting on setting"],
  [
    "another function",
    "tell_change is another one",
    "create or replace function tell_change(change text) returns void language sql as $$ $$",
  ],
])("%s is for newer programs alone", async (_, fault, statement) => {
  expect((await faultsOf(statement)).join("\n")).toContain(fault);
});
