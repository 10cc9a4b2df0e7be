import { expect, onTestFinished, test, vi } from "vitest";
import { loneLeases, withLease } from "./leases";
import { openStoreOn } from "./open-store";
import { openPostgresEngine } from "./postgres-engine";
import { ask } from "./testing/postgres-server";
import { placeOf, tempDir } from "./testing/temp-store";

const long = 60_000;

/** Processes on one database, and how others reach it. */
async function openTogether(count: number) {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const open = async () => {
    const engine = await openPostgresEngine({ dataDir: tempDir(), url, isShared: true });
    const store = await openStoreOn(engine);
    onTestFinished(() => store.close());
    return store;
  };
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const stores = await Promise.all(Array.from({ length: count }, open));
  return { url, stores };
}

test("of many that ask at once one gets it, and the next one when it is released", async () => {
  const { stores } = await openTogether(3);
  const askAll = () => Promise.all([...stores, ...stores].map(({ leases }) => leases.take("a", long)));
  const taken = (await askAll()).filter((lease) => lease !== undefined);
  expect(taken.map((lease) => lease.isHeld())).toEqual([true]);
  expect((await askAll()).filter((lease) => lease !== undefined)).toEqual([]);
  // Another name is another matter.
  expect((await stores[1]?.leases.take("b", long))?.isHeld()).toBe(true);
  await taken[0]?.release();
  expect(taken[0]?.isHeld()).toBe(false);
  expect((await askAll()).filter((lease) => lease !== undefined)).toHaveLength(1);
});

test("what is done under a lease is done by one process at a time, each time", async () => {
  const { stores } = await openTogether(3);
  let inside = 0;
  const most: number[] = [];
  const times = { mostMs: long, waitMs: long };
  const done = await Promise.all(
    [...stores, ...stores].map(({ leases }) =>
      withLease(leases, "a", times, async (isHeld) => {
        inside++;
        most.push(inside);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside--;
        return isHeld();
      }),
    ),
  );
  expect(done.map((one) => one?.result)).toEqual(Array(6).fill(true));
  expect(most).toEqual(Array(6).fill(1));
  await expect(
    withLease(stores[0]?.leases ?? loneLeases, "a", times, () => Promise.reject(new Error("broken"))),
  ).rejects.toThrow("broken");
  // Nobody waits for what has failed.
  expect(await stores[1]?.leases.take("a", long)).toBeDefined();
});

test("who does not wait does without, and nothing is done", async () => {
  const { stores } = await openTogether(2);
  const [one, other] = stores;
  const lease = await one?.leases.take("a", long);
  const work = vi.fn(async () => {});
  expect(
    await withLease(other?.leases ?? loneLeases, "a", { mostMs: long, waitMs: 0 }, work),
  ).toBeUndefined();
  expect(work).not.toHaveBeenCalled();
  expect(lease?.isHeld()).toBe(true);
});

test("a lease ends with its process, which learns of it", async () => {
  const { url, stores } = await openTogether(2);
  const [gone, heir] = stores;
  const lease = await gone?.leases.take("a", long);
  expect(await heir?.leases.take("a", long)).toBeUndefined();
  await ask(url, `delete from instance where id = '${gone?.members.id}'`);
  expect((await heir?.leases.take("a", long))?.isHeld()).toBe(true);
  // With its next beat it has another id, under which it does not hold it either.
  await expect.poll(() => lease?.isHeld()).toBe(false);
  await expect.poll(() => gone?.members.holds()).toBe(true);
  expect(lease?.isHeld()).toBe(false);
  await lease?.release();
  expect(await gone?.leases.take("a", long)).toBeUndefined();
});

test("a lease of a process whose own has run out is free, as the row of nobody who writes is", async () => {
  const { url, stores } = await openTogether(1);
  await ask(url, "insert into instance (id, lease_until) values ('silent', now() + interval '1 minute')");
  await ask(url, "insert into lease (name, owner, until) values ('a', 'silent', now() + interval '1 hour')");
  expect(await stores[0]?.leases.take("a", long)).toBeUndefined();
  await ask(url, "update instance set lease_until = now() - interval '1 second' where id = 'silent'");
  expect((await stores[0]?.leases.take("a", long))?.isHeld()).toBe(true);
});

test("a lease that was not released is over after its time, for its holder a little earlier", async () => {
  const { stores } = await openTogether(2);
  const [one, other] = stores;
  const lease = await one?.leases.take("a", 300);
  expect(lease?.isHeld()).toBe(true);
  expect(await other?.leases.take("a", long)).toBeUndefined();
  const next = await vi.waitUntil(() => other?.leases.take("a", long), { interval: 20, timeout: 10_000 });
  expect([lease?.isHeld(), next.isHeld()]).toEqual([false, true]);
  // Late, it takes nothing away from who has it now.
  await lease?.release();
  expect(await one?.leases.take("a", long)).toBeUndefined();
});

test("who has a database alone has every lease", async () => {
  const lease = await loneLeases.take("a", long);
  expect(lease?.isHeld()).toBe(true);
  await lease?.release();
});
