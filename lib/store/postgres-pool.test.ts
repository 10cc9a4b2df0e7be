import { Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { postgresDialect } from "./postgres-dialect";
import { openPool } from "./postgres-pool";
import type { DB } from "./schema";
import { openDatabaseWay } from "./testing/lossy-way";
import { ask } from "./testing/postgres-server";
import { placeOf, tempDir } from "./testing/temp-store";

/** Over a way that can be parted. */
async function open(options: Parameters<typeof openPool>[1]) {
  const { databaseUrl = "" } = await placeOf(tempDir());
  const way = await openDatabaseWay(databaseUrl);
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(way.over(databaseUrl), options)) });
  onTestFinished(async () => {
    await way.close();
    await db.destroy();
  });
  const pid = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    return rows[0]?.pid;
  };
  return { db, way, pid, url: databaseUrl };
}

test("where a line goes silent who waits is told so, and what comes then goes over another one", async () => {
  const { db, way } = await open({ mostMs: 500 });
  await db.insertInto("setting").values({ user_id: "ann", key: "a", value: "1" }).execute();
  const read = () => db.selectFrom("setting").select("value").execute();
  const readByRow = async () => {
    for await (const _ of db.selectFrom("setting").select("value").stream()) void _;
  };
  const write = () => db.updateTable("setting").set({ value: "2" }).execute();
  const change = () =>
    db.transaction().execute(async (trx) => {
      await trx.updateTable("setting").set({ value: "3" }).execute();
    });
  for (const work of [read, readByRow, write, change]) {
    // The session that it gets is one that was there before.
    await read();
    way.part();
    const refused = expect(work()).rejects.toMatchObject({ code: "io" });
    way.heal("forNewOnly");
    await refused;
  }
  expect(await read()).toEqual([{ value: "1" }]);
  await write();
  expect(await read()).toEqual([{ value: "2" }]);
});

test("who leaves off reading where a line goes silent goes on", async () => {
  const { db, way } = await open({ mostMs: 500 });
  const values = Array.from({ length: 20 }, (_, index) => ({ user_id: "ann", key: `${index}`, value: "1" }));
  await db.insertInto("setting").values(values).execute();
  for await (const _ of db.selectFrom("setting").select("value").stream()) {
    way.part();
    way.heal("forNewOnly");
    break;
  }
  expect(await db.selectFrom("setting").select("value").execute()).toHaveLength(20);
});

test("who has said that a statement may take long is waited for", async () => {
  const { db } = await open({ mostMs: 100 });
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 0; set local statement_timeout = 0`.execute(trx);
    await sql`select pg_sleep(0.5)`.execute(trx);
  });
  await expect(sql`select pg_sleep(0.5)`.execute(db)).rejects.toMatchObject({ code: "io" });
});

test("sessions of a name that is taken from a process are left, as others end them, and those from before a fault of the line", async () => {
  const owner = { id: "first", faults: 0 };
  const { pid, url } = await open({ owner });
  await ask(url, "insert into instance (id, lease_until) values ('first', now()), ('second', now())");
  const first = await pid();
  expect(await pid()).toBe(first);
  owner.id = "second";
  const second = await pid();
  expect(second).not.toBe(first);
  expect(await pid()).toBe(second);
  owner.faults++;
  const third = await pid();
  expect(third).not.toBe(second);
  expect(await pid()).toBe(third);
});
