import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "@/lib/store/open-store";
import { openPostgresEngine } from "@/lib/store/postgres-engine";
import { allBytes, fillFolder, rowsIn, tablesIn } from "@/lib/store/testing/full-folder";
import { ask } from "@/lib/store/testing/postgres-server";
import { events } from "@/lib/store/testing/rows";
import { createDatabase, tempDir } from "@/lib/store/testing/temp-store";
import { moveData } from "./move-data";
import { SourceFolder } from "./source-folder";
import { checkTarget } from "./target-database";

type Beside = Parameters<typeof moveData>[0]["beside"];

/** Each folder is read alone, as by the command. */
async function moveFolder(dataDir: string, url: string, beside: Beside = async () => {}) {
  const folder = await SourceFolder.open(dataDir);
  try {
    return await moveData({ folder, url, beside, tell: () => {} });
  } finally {
    folder.close();
  }
}

async function fullFolder(): Promise<string> {
  const dataDir = tempDir();
  await fillFolder(dataDir);
  return dataDir;
}

/** Of each table of the folder its rows, as texts that both drivers agree on. */
function here(dataDir: string): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  for (const file of ["meguri.db", "run-log.db"]) {
    const db = new DatabaseSync(join(dataDir, file), { readOnly: true });
    for (const table of tablesIn(db)) tables.set(table, rowsIn(db, table).map(textOf).toSorted());
    db.close();
  }
  return tables;
}

const there = async (url: string, table: string): Promise<string[]> =>
  (await ask(url, `select * from "${table}"`)).map(textOf).toSorted();

const textOf = (row: Record<string, unknown>): string =>
  JSON.stringify(
    Object.entries(row)
      .map(([name, value]) => [
        name,
        value instanceof Uint8Array
          ? Buffer.from(value).toString("hex")
          : value === null
            ? null
            : String(value),
      ])
      .toSorted(),
  );

/** What an engine has for itself, and an index that each makes in its own way. */
const apart = ["schema_version", "event_journal", "message_place"];

const rowsThere = async (url: string): Promise<number> => {
  const tables = await ask(
    url,
    "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not in ('schema_version', 'instance')",
  );
  let rows = 0;
  for (const { relname } of tables)
    rows += Number((await ask(url, `select count(*) as rows from "${relname}"`))[0]?.rows);
  return rows;
};

test("every row of every table is there as it is here, and the store goes on where it was", async () => {
  const dataDir = await fullFolder();
  const before = here(dataDir);
  const empty = [...before].flatMap(([table, rows]) => (rows.length === 0 ? table : []));
  // Else a table could be forgotten here.
  expect(empty).toEqual(["event_journal"]);
  const url = await createDatabase();
  const counts = await moveFolder(dataDir, url, async ({ documents, addPart }) => {
    await addPart("f1", 0, allBytes);
    await addPart("f1", 1, new Uint8Array());
    await documents.write("seed", "{}", undefined);
  });
  for (const [table, rows] of before) {
    if (apart.includes(table)) continue;
    const found = await there(url, table);
    expect([table, found.filter((row) => !row.includes('"seed"'))]).toEqual([table, rows]);
    expect([table, counts.get(table)]).toEqual([table, rows.length]);
  }
  expect(here(dataDir)).toEqual(before);

  const store = await openStore({ dataDir: tempDir(), databaseUrl: url });
  onTestFinished(() => store.close());
  expect(await store.conversations.get("ann", "c1")).toMatchObject({ title: "京都 𠮷野家 🍜" });
  expect(await store.log.read("r1", 1_999, 10)).toMatchObject([{ seq: 2_000 }, { data: { type: "result" } }]);
  expect(Buffer.from((await store.log.wire("r1", "1")) ?? []).equals(Buffer.from(allBytes))).toBe(true);
  expect((await store.blobs?.read("f1", 0))?.bytes.equals(Buffer.from(allBytes))).toBe(true);
  expect((await store.search.messages("ann", "天気", { limit: 5 })).items).toHaveLength(1);
  // The numbers that the log gives to its runs go on.
  await store.log.append("r3", events(1, 1), true);
  expect(await store.log.lastSeq("r3")).toBe(1);
});

test("values of every kind come over as they are, and a message before the one that it answers", async () => {
  const dataDir = tempDir();
  await (await openStore({ dataDir })).close();
  const db = new DatabaseSync(join(dataDir, "meguri.db"), { enableForeignKeyConstraints: false });
  db.exec(
    "insert into conversation (id, user_id, title, pinned, created_at, updated_at) values ('c', 'u', '', 1, 1, 1)",
  );
  const message = db.prepare(
    "insert into message (conversation_id, id, user_id, parent_id, role, created_at, body) values ('c', ?, 'u', ?, 'summary', ?, '{}')",
  );
  message.run("later", "first", -9_007_199_254_740_993n);
  message.run("first", null, 9_223_372_036_854_775_807n);
  const use = db.prepare("insert into usage_day (user_id, day, tokens, cost) values (?, '2026-01-02', 1, ?)");
  for (const cost of [0.1 + 0.2, 5e-324, 1.7976931348623157e308, 0, 3]) use.run(`cost ${cost}`, cost);
  const setting = db.prepare("insert into setting (user_id, key, value) values ('u', ?, ?)");
  for (const [key, value] of Object.entries({
    a: "",
    b: "a\0b",
    c: "\t\\N\\x41''\"\r\n",
    d: "𠮷\u{10ffff}\ufffe",
  }))
    setting.run(key, value);
  db.close();
  const url = await createDatabase();
  await moveFolder(dataDir, url);
  expect(await ask(url, "select id, parent_id, created_at from message order by id")).toEqual([
    { id: "first", parent_id: null, created_at: "9223372036854775807" },
    { id: "later", parent_id: "first", created_at: "-9007199254740993" },
  ]);
  const costs = await ask(url, "select cost from usage_day order by cost");
  expect(costs.map(({ cost }) => cost)).toEqual([0, 5e-324, 0.1 + 0.2, 3, 1.7976931348623157e308]);
  const values = await ask(url, "select value from setting order by key");
  // PostgreSQL has no NUL; only a title or a name could have one, from a version before this one.
  expect(values.map(({ value }) => value)).toEqual(["", "ab", "\t\\N\\x41''\"\r\n", "𠮷\u{10ffff}\ufffe"]);
  await expect(
    ask(
      url,
      "insert into message select conversation_id, 'x', user_id, 'none', role, created_at, null, null, null, body from message limit 1",
    ),
  ).rejects.toThrow();
});

test("a database that is not empty or of a newer version is refused, and so is a folder in use", async () => {
  const dataDir = await fullFolder();
  const url = await createDatabase();
  await (await openPostgresEngine({ dataDir: tempDir(), url })).close();
  await ask(url, "insert into ended_link values ('somebody has been here')");
  for (const attempt of [() => checkTarget(url), () => moveFolder(dataDir, url)])
    await expect(attempt()).rejects.toThrow(/is not empty: ended_link has rows\..*createdb/);
  await ask(url, "delete from ended_link; insert into schema_version values (9999)");
  for (const attempt of [() => checkTarget(url), () => moveFolder(dataDir, url)])
    await expect(attempt()).rejects.toMatchObject({ code: "newer_version" });
  const store = await openStore({ dataDir });
  onTestFinished(() => store.close());
  await expect(SourceFolder.open(dataDir)).rejects.toThrow(/is in use by process \d+; stop it/);
});

test("where it breaks nothing is left there, the folder is as it was, and the next time it goes through", async () => {
  const dataDir = await fullFolder();
  const files = () => ["meguri.db", "run-log.db"].map((name) => readFileSync(join(dataDir, name)));
  const before = files();
  const url = await createDatabase();
  await expect(
    moveFolder(dataDir, url, async ({ addPart }) => {
      await addPart("f1", 0, allBytes);
      await ask(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'",
      );
    }),
  ).rejects.toMatchObject({ code: "io" });
  const failed = new Error("The file is gone.");
  await expect(moveFolder(dataDir, url, () => Promise.reject(failed))).rejects.toBe(failed);
  expect(await rowsThere(url)).toBe(0);
  expect(files().map((file, index) => file.equals(before[index] ?? file))).toEqual([true, true]);
  await moveFolder(dataDir, url);
  expect(await rowsThere(url)).toBeGreaterThan(40);
});

test("what does not arrive as it was sent keeps all of it from being committed", async () => {
  const dataDir = await fullFolder();
  const url = await createDatabase();
  await (await openPostgresEngine({ dataDir: tempDir(), url })).close();
  const change = (what: string) => `
    create or replace function spoil() returns trigger language plpgsql as 'begin ${what} end';
    drop trigger if exists spoil on event_range;
    create trigger spoil before insert on event_range for each row execute function spoil()`;
  for (const what of [
    "new.at := new.at + 1; return new;",
    "new.data := new.data || '' ''; return new;",
    "return null;",
  ]) {
    await ask(url, change(what));
    await expect(moveFolder(dataDir, url)).rejects.toThrow(
      /^event_range did not arrive as it is in the folder/,
    );
    expect(await rowsThere(url)).toBe(0);
  }
});
