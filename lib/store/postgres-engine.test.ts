import { randomBytes } from "node:crypto";
import { Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "@/lib/store/migrations/migrate";
import { DatabaseInUseError } from "./errors";
import { openStore, openStoreOn } from "./open-store";
import { postgresDialect } from "./postgres-dialect";
import { openPostgresEngine } from "./postgres-engine";
import { openPool } from "./postgres-pool";
import type { DB } from "./schema";
import { ask } from "./testing/postgres-server";
import { conversation, events, message, run } from "./testing/rows";
import { startWriter } from "./testing/start-writer";
import { createDatabase, openTempEngine, openTempStore, placeOf, tempDir } from "./testing/temp-store";

async function openEngine(dataDir = tempDir()) {
  const engine = await openTempEngine(dataDir);
  onTestFinished(() => engine.close());
  return engine;
}

test("every session has its time-outs, and waits for the disk", async () => {
  const { records } = await openEngine();
  const names = ["idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"];
  const settings = Promise.all(
    Array.from({ length: 20 }, async () => {
      const { rows } = await sql<{ value: string; pid: number }>`
        select string_agg(setting, ' ' order by name) as value, pg_backend_pid() as pid, pg_sleep(0.1)
        from pg_settings where name in (${sql.join([...names, "synchronous_commit"])})`.execute(records);
      return rows[0];
    }),
  );
  const found = await settings;
  expect(new Set(found.map((row) => row?.value))).toEqual(new Set(["3000 2000 10000 on"]));
  expect(new Set(found.map((row) => row?.pid)).size).toBe(9);
});

test("one process takes fifteen sessions at most, whatever is asked of it at once", async () => {
  const dataDir = tempDir();
  const engine = await openTempEngine(dataDir);
  const store = await openStoreOn(engine);
  onTestFinished(() => store.close());
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  await store.runs.create(run("r1", { messageId: "q", parentId: "q" }));
  await Promise.all([
    ...Array.from({ length: 40 }, () => sql`select pg_sleep(0.1)`.execute(engine.records)),
    ...Array.from({ length: 20 }, (_, at) => store.blobs?.add(`f${at}`, 0, Buffer.alloc(100_000))),
    ...Array.from({ length: 20 }, (_, at) => store.settings.set("ann", `key${at}`, at)),
    store.log.append("r1", events(1, 3), true),
  ]);
  const { databaseUrl = "" } = await placeOf(dataDir);
  const [found] = await ask(
    databaseUrl,
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  expect(found?.count).toBe(15);
});

test("a second process is refused with the name of the first, until that is killed", async () => {
  const dataDir = tempDir();
  const { databaseUrl } = await placeOf(dataDir);
  const writer = await startWriter(dataDir);
  const open = () => openStore({ dataDir: tempDir(), databaseUrl });
  const refusal = await open().catch((cause: unknown) => cause);
  expect(refusal).toBeInstanceOf(DatabaseInUseError);
  expect((refusal as Error).message).toMatch(
    new RegExp(`^The database of DATABASE_URL is in use by meguri .* ${writer.pid} .*; stop it, or set`),
  );
  await writer.kill();
  await (await open()).close();
});

test("of two processes that bring an empty database to the newest version the second finds it done", async () => {
  const url = await createDatabase();
  const done = await Promise.all(
    ["one", "other"].map(async () => {
      const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url)) });
      await migrate(db, ["records", "log"], "The database", { dialect: "postgres" });
      const { rows } = await sql<{ count: number }>`select count(*) as count from schema_version`.execute(db);
      await db.destroy();
      return rows[0]?.count;
    }),
  );
  expect(done[0]).toBeGreaterThan(30);
  expect(done[1]).toBe(done[0]);
});

test("a database of a newer version is refused and left as it is", async () => {
  const dataDir = tempDir();
  const place = await placeOf(dataDir);
  await (await openStore(place)).close();
  await ask(place.databaseUrl ?? "", "insert into schema_version values (99)");
  for (let time = 0; time < 2; time++)
    await expect(openStore(place)).rejects.toMatchObject({
      code: "newer_version",
      message: expect.stringContaining(
        "The database of DATABASE_URL was written by a newer Meguri (schema 99",
      ),
    });
});

test("a server that is not there is told with the next step, and the folder is free again", async () => {
  const dataDir = tempDir();
  const away = openPostgresEngine({ dataDir, url: "postgres://nobody@127.0.0.1:9/none" });
  await expect(away).rejects.toMatchObject({
    name: "StoreError",
    code: "io",
    message: expect.stringMatching(/^The database cannot be used \(.*\); check that PostgreSQL runs, and/),
  });
  const engine = await openEngine(dataDir);
  expect(await engine.sizes()).toMatchObject({ unused: 0 });
});

test("what keeps a session from being opened is told in one sentence", async () => {
  const { databaseUrl = "" } = await placeOf(tempDir());
  const guest = `guest_${randomBytes(6).toString("hex")}`;
  await ask(databaseUrl, `create role ${guest} login; revoke create on schema public from public`);
  onTestFinished(async () => void (await ask(databaseUrl, `drop role ${guest}`)));
  const refusal = (url: string) =>
    openPostgresEngine({ dataDir: tempDir(), url }).then(
      () => "opened",
      (cause: Error) => `${cause.name}: ${cause.message}`,
    );
  expect(await refusal(databaseUrl.replace("user=meguri", `user=${guest}`))).toMatch(
    /^StoreError: The role of DATABASE_URL lacks a right \(permission denied for/,
  );
  const sentence =
    /^StoreError: The database cannot be used \(.+\); check that PostgreSQL runs, and DATABASE_URL\.$/;
  for (const url of [
    `${databaseUrl}&sslmode=require`,
    "postgres://a@localhost:9/",
    "postgres://a@127.0.0.1:9/",
  ])
    expect(await refusal(url), url).toMatch(sentence);
});

test("a session that breaks while rows are read is given back, whoever reads on", async () => {
  const dataDir = tempDir();
  const engine = await openTempEngine(dataDir);
  const { databaseUrl = "" } = await placeOf(dataDir);
  await ask(databaseUrl, "insert into setting select 'a', n::text, '1' from generate_series(1, 100) n");
  const endAll =
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  const readHalf = async (then: "read on" | "leave" | "throw") => {
    let isFirst = true;
    for await (const _ of engine.records.selectFrom("setting").selectAll().stream()) {
      if (isFirst) await ask(databaseUrl, endAll);
      isFirst = false;
      if (then === "leave") return;
      if (then === "throw") throw new Error("enough");
    }
  };
  // More often than there are sessions.
  for (let time = 0; time < 4; time++) {
    await readHalf("leave");
    await expect(readHalf("throw")).rejects.toThrow("enough");
    await expect(readHalf("read on")).rejects.toMatchObject({ code: "io" });
  }
  expect(await engine.records.selectFrom("setting").selectAll().execute()).toHaveLength(100);
  await engine.close();
});

test("what PostgreSQL refuses has the codes that SQLite's refusals have", async () => {
  const { records } = await openEngine();
  const fault = (statement: string) =>
    sql
      .raw(statement)
      .execute(records)
      .then(
        () => "done",
        (cause) => cause.code,
      );
  const share = "insert into share (id, user_id, conversation_id, token_hash, title, created_at, snapshot)";
  expect(await fault("insert into setting values ('a', 'b', 'c')")).toBe("done");
  expect(await fault("insert into setting values ('a', 'b', 'c')")).toBe("duplicate");
  expect(await fault(`${share} values ('s', 'a', 'none', 'h', 't', 1, '{}')`)).toBe("not_found");
  expect(await fault("insert into setting values ('a', 'd', null)")).toBe("invalid");
  expect(await fault("set statement_timeout = 50; select pg_sleep(1)")).toBe("busy");
  expect(await fault("do $$ begin raise sqlstate '53100'; end $$")).toBe("disk_full");
  expect(await fault("select pg_terminate_backend(pg_backend_pid())")).toBe("io");
});

test("a transaction whose process hangs lets go of what it holds", async () => {
  const dataDir = tempDir();
  const { records } = await openEngine(dataDir);
  const { databaseUrl = "" } = await placeOf(dataDir);
  await ask(databaseUrl, "insert into setting values ('a', 'b', '1')");
  const still = records.transaction().execute(async (trx) => {
    await trx.updateTable("setting").set({ value: "2" }).execute();
    // It waits for the row until the server has ended this session.
    await ask(databaseUrl, "update setting set value = '4'");
    await trx.updateTable("setting").set({ value: "3" }).execute();
  });
  await expect(still).rejects.toMatchObject({ code: expect.stringMatching(/^(busy|io)$/) });
  expect(await ask(databaseUrl, "select value from setting")).toEqual([{ value: "4" }]);
});

test("a read waits for no write, and of two who read and then write none overwrites the other", async () => {
  const store = await openTempStore();
  const add = (by: number) => store.settings.update("ann", "sum", (sum: number = 0) => sum + by);
  await Promise.all(Array.from({ length: 50 }, () => add(1)));
  expect(await store.settings.get("ann", "sum")).toBe(50);
  const engine = await openEngine();
  await engine.records.transaction().execute(async (trx) => {
    await trx.insertInto("setting").values({ user_id: "ann", key: "a", value: "1" }).execute();
    expect(await engine.records.selectFrom("setting").selectAll().execute()).toEqual([]);
  });
  expect(await engine.records.selectFrom("setting").select("value").execute()).toEqual([{ value: "1" }]);
});

test("ids have the order of their bytes, whatever the language of the database", async () => {
  const store = await openTempStore();
  for (const id of ["a", "B", "é", "Z", "_", "1"])
    await store.conversations.create(conversation({ id, updatedAt: 1 }));
  const { items } = await store.conversations.list("ann", { limit: 10 });
  expect(items.map(({ id }) => id).join("")).toBe("éa_ZB1");
});

test("what takes space is told by kind", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  const text = randomBytes(300_000).toString("base64");
  await store.messages.append("c1", [
    message("q", null, { message: { role: "user", parts: [{ type: "text", text }] } }),
  ]);
  await store.log.append("r1", events(1, 5_000), true);
  const usage = await store.usage();
  expect(usage.conversations).toBeGreaterThan(400_000);
  expect(usage.runs).toBeGreaterThan(50_000);
  expect(usage.unused).toBe(0);
});

test("what is deleted takes no space any more, also where its table keeps the room", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  const before = await store.usage();
  const text = randomBytes(3_000_000).toString("base64");
  await store.conversations.create(conversation({ id: "c2" }));
  const parts = [{ type: "text" as const, text }];
  await store.messages.append("c2", [
    message("q2", null, { conversationId: "c2", message: { role: "user", parts } }),
  ]);
  expect((await store.usage()).conversations).toBeGreaterThan(before.conversations + 4_000_000);
  await store.conversations.delete("c2");
  expect(await store.usage()).toEqual(before);
});

test("after everything was deleted the next run begins a log of its own", async () => {
  const store = await openTempStore();
  await store.settings.set("system", "started", true);
  await store.settings.set("ann", "instructions", "gone");
  await store.log.append("r1", events(1, 3), false);
  await store.empty();
  expect(await store.log.lastSeq("r1")).toBe(0);
  await store.log.append("r1", events(1, 2), false);
  expect(await store.log.read("r1", 0, 10)).toEqual(events(1, 2));
  expect(await store.settings.get("system", "started")).toBe(true);
  expect(await store.settings.get("ann", "instructions")).toBeUndefined();
});
