import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStoreOn } from "./open-store";
import { openPostgresEngine } from "./postgres-engine";
import { Membership } from "./postgres-membership";
import { openDatabaseWay } from "./testing/lossy-way";
import { ask } from "./testing/postgres-server";
import { conversation, events, message, run, runEnd } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";

/** Processes on one database, and how others reach it. */
async function openTogether() {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const open = async (isShared = true) => {
    const engine = await openPostgresEngine({ dataDir: tempDir(), url, isShared });
    const store = await openStoreOn(engine);
    onTestFinished(() => store.close());
    return { engine, store };
  };
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  return { url, open, warned };
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof openTogether>>["open"]>>;

/** A run of a conversation that is called like it. */
async function begin({ store }: Opened, id: string): Promise<void> {
  const question = message(`q-${id}`, null, { conversationId: id });
  const row = run(id, {
    conversationId: id,
    messageId: question.id,
    parentId: question.id,
    status: "running",
  });
  await store.runs.begin({ ...row, endedAt: null }, { conversation: conversation({ id }), question });
}

const end = { status: "completed" as const, iterations: [], endedAt: 5, result: runEnd() };
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();

test("each goes on with its own runs, and takes none of those of a process that is there", async () => {
  const { open } = await openTogether();
  const [one, other] = [await open(), await open()];
  await begin(one, "a");
  await begin(other, "b");
  expect(await one.store.runs.driven()).toEqual(["a"]);
  expect(await one.store.runs.ownerOf("b")).toBe(other.store.members.id);
  expect(await other.store.runs.takeOver()).toEqual([]);
  await expect(other.store.runs.finish("a", end, [])).rejects.toMatchObject({ code: "conflict" });
  await one.store.runs.finish("a", end, []);
  expect(await one.store.runs.ownerOf("a")).toBeUndefined();
});

test("the runs of a process that is gone are given to one of the others, once", async () => {
  const { open, url } = await openTogether();
  const gone = await open();
  for (const id of ["a", "b", "c"]) await begin(gone, id);
  await ask(url, `update run set owner_id = null where id = 'c'`);
  const others = await Promise.all([open(), open(), open()]);
  await ask(url, `delete from instance where id = '${gone.store.members.id}'`);
  const taken = await Promise.all(others.map(({ store }) => store.runs.takeOver()));
  expect(idsOf(taken.flat())).toEqual(["a", "b", "c"]);
  for (const [at, { store }] of others.entries())
    expect((await store.runs.driven()).toSorted()).toEqual(idsOf(taken[at] ?? []));
});

test("who waits for a process that is gone is held by nobody, also where it drove no run", async () => {
  const { open } = await openTogether();
  const [gone, other] = [await open(), await open()];
  for (const id of ["a", "b"]) {
    await begin(gone, id);
    await gone.store.runs.finish(id, { ...end, status: "waiting", isHeld: true }, []);
  }
  const holders = async () =>
    Promise.all(["a", "b"].map(async (id) => (await other.store.runs.get("ann", id))?.heldBy));
  const { id } = gone.store.members;
  expect(await other.store.runs.takeOver()).toEqual([]);
  expect(await holders()).toEqual([id, id]);
  await gone.store.close();
  expect(await other.store.runs.takeOver()).toEqual([]);
  expect(await holders()).toEqual([undefined, undefined]);
});

test("each knows from its beginning whether others are there, and is told who comes and goes", async () => {
  const { url } = await openTogether();
  const [one, other] = [new Membership(url, false), new Membership(url, false)];
  await one.join();
  onTestFinished(() => one.close());
  expect(one.hasOthers).toBe(false);
  await other.join();
  expect(other.hasOthers).toBe(true);
  await expect.poll(() => one.hasOthers).toBe(true);
  await other.close();
  await expect.poll(() => one.hasOthers).toBe(false);
});

test("who was taken for dead is told, ends nothing that others have, and goes on under another id", async () => {
  const { open, url, warned } = await openTogether();
  const [one, other] = [await open(), await open()];
  await begin(one, "a");
  await one.store.log.append("a", events(1, 2), false);
  const { id } = one.store.members;
  const lost = vi.fn();
  one.store.members.onLost(lost);
  await ask(url, `delete from instance where id = '${id}'`);
  expect(idsOf(await other.store.runs.takeOver())).toEqual(["a"]);
  // As soon as it has heard of it the code is another one.
  const refused = { code: expect.stringMatching(/^(io|conflict)$/) };
  await expect(one.store.runs.finish("a", end, [])).rejects.toMatchObject(refused);
  await other.store.log.append("a", [{ seq: 3, at: 1, data: { type: "text", content: "other" } }], true);
  await expect.poll(() => lost.mock.calls.length).toBe(1);
  expect(one.store.members.id).not.toBe(id);
  expect(warned).toHaveBeenCalledWith(expect.stringContaining(`has not heard of ${id} for too long`));
  await expect.poll(() => one.store.members.holds()).toBe(true);
  await expect(one.store.runs.finish("a", end, [])).rejects.toMatchObject({ code: "conflict" });
  await other.store.runs.finish("a", end, []);
  expect((await one.store.log.read("a", 0, 9)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  await begin(one, "b");
  await one.store.log.append("b", events(1, 1), true);
  expect(await one.store.runs.driven()).toEqual(["b"]);
});

test("what had begun before a take-over is not committed after it", async () => {
  const { open, url } = await openTogether();
  const [one, other] = [await open(), await open()];
  await begin(one, "a");
  const hangs = Promise.withResolvers<void>();
  const begun = one.engine.records.transaction().execute(async (trx) => {
    await trx.updateTable("run").set({ status: "completed" }).where("id", "=", "a").execute();
    await hangs.promise;
  });
  begun.catch(() => {});
  await ask(url, `delete from instance where id = '${one.store.members.id}'`);
  expect(idsOf(await other.store.runs.takeOver())).toEqual(["a"]);
  hangs.resolve();
  await expect(begun).rejects.toMatchObject({ code: "io" });
  expect(await other.store.runs.driven()).toEqual(["a"]);
});

test("who deletes everything is alone meanwhile: the others lose their runs, add nothing to what is left, and go on", async () => {
  const { open } = await openTogether();
  const [one, other] = [await open(), await open()];
  await begin(other, "a");
  await other.store.log.append("a", events(1, 2), true);
  let [isEmptied, isOver, late] = [false, false, 0];
  // From then on its runs are given up.
  other.store.members.onLost(() => {
    isOver = true;
  });
  const note = () => {
    if (isEmptied && !isOver) late += 1;
  };
  const written = (async () => {
    for (let seq = 3; !isOver; seq++)
      await other.store.log
        .append("a", events(seq, seq), false)
        .then(note)
        .catch(() => sleep(5));
  })();
  const begun = (async () => {
    for (let n = 0; !isOver; n++)
      await begin(other, `b${n}`)
        .then(note)
        .catch(() => sleep(5));
  })();
  await one.store.empty();
  isEmptied = true;
  await Promise.all([written, begun]);
  expect(late).toBe(0);
  expect((await one.store.log.read("a", 0, 1)).map(({ seq }) => seq)).not.toContain(1);
  expect(await one.store.conversations.get("ann", "a")).toBeUndefined();
  await expect.poll(() => other.store.members.holds()).toBe(true);
  await begin(other, "later");
  await other.store.log.append("later", events(1, 1), true);
  expect(await other.store.runs.driven()).toEqual(["later"]);
});

test("a process that says nothing for longer than its lease is gone for the others", async () => {
  const { open, url } = await openTogether();
  const [one, other] = [await open(), await open()];
  await begin(one, "a");
  const { id } = one.store.members;
  // As if it had stood still: its row is as old as its last word.
  await ask(url, `update instance set lease_until = clock_timestamp() - interval '1 s' where id = '${id}'`);
  // Nobody may judge who has not been there for a while: this could be the whole database coming back.
  expect(await other.store.runs.takeOver()).toEqual([]);
  await sleep(6_000);
  await ask(url, `update instance set lease_until = clock_timestamp() - interval '1 s' where id = '${id}'`);
  expect(idsOf(await other.store.runs.takeOver())).toEqual(["a"]);
});

test("a process whose lines have all gone silent goes on over others, once a beat had no answer", async () => {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const way = await openDatabaseWay(url);
  const engine = await openPostgresEngine({ dataDir: tempDir(), url: way.over(url), isShared: true });
  const store = await openStoreOn(engine);
  onTestFinished(async () => {
    await way.close();
    await store.close();
  });
  const { id } = engine.members;
  // As many as there are sessions.
  const readAll = () =>
    Promise.all(Array.from({ length: 9 }, () => sql`select pg_sleep(0.1)`.execute(engine.records)));
  await readAll();
  await store.log.append("r1", events(1, 1), false);
  way.part();
  way.heal("forNewOnly");
  await expect.poll(() => engine.members.remainingMs()).toBeLessThan(2_500);
  await expect.poll(() => engine.members.remainingMs()).toBeGreaterThan(2_500);
  await readAll();
  await store.log.append("r1", events(2, 2), false);
  expect(engine.members.id).toBe(id);
});

test("of many changes that two make at once none is lost", async () => {
  const { open } = await openTogether();
  const both = [await open(), await open()];
  const add = ({ engine }: Opened) =>
    engine.records.transaction().execute(async (trx) => {
      const at = { user_id: "ann", key: "sum" };
      const row = await trx.selectFrom("setting").select("value").where("key", "=", "sum").executeTakeFirst();
      const value = String(Number(row?.value ?? 0) + 1);
      if (row) await trx.updateTable("setting").set({ value }).where("key", "=", "sum").execute();
      else
        await trx
          .insertInto("setting")
          .values({ ...at, value })
          .execute();
    });
  await Promise.all(Array.from({ length: 40 }, (_, index) => add(both[index % 2] as Opened)));
  const [sum] = await both.map(({ engine }) => engine.records.selectFrom("setting").selectAll().execute());
  expect(await sum).toMatchObject([{ value: "40" }]);
});

test("who has the database for itself keeps it while the server restarts, and others wait outside", async () => {
  const { open, url, warned } = await openTogether();
  const one = await open(false);
  const { id } = one.store.members;
  const name = new URL(url).pathname.slice(1);
  const elsewhere = url.replace(name, "postgres");
  await ask(elsewhere, `alter database ${name} with allow_connections false`);
  await ask(
    elsewhere,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  );
  await expect(one.store.settings.set("ann", "a", 1)).rejects.toMatchObject({ code: "io" });
  await ask(elsewhere, `alter database ${name} with allow_connections true`);
  await expect
    .poll(
      () =>
        one.store.settings.set("ann", "a", 1).then(
          () => "set",
          () => "refused",
        ),
      { timeout: 5_000 },
    )
    .toBe("set");
  expect(one.store.members.id).toBe(id);
  expect(warned).not.toHaveBeenCalled();
  await expect(open(false)).rejects.toMatchObject({
    name: "DatabaseInUseError",
    message: expect.stringContaining(id),
  });
  expect(one.store.members.holds()).toBe(true);
});
