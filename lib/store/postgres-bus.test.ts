import { expect, onTestFinished, test, vi } from "vitest";
import type { Change, Topic } from "./bus";
import { openStoreOn } from "./open-store";
import type { Store } from "./ports";
import { NotifyBus } from "./postgres-bus";
import { openPostgresEngine } from "./postgres-engine";
import { endListening } from "./testing/end-listening";
import { openDatabaseWay } from "./testing/lossy-way";
import { expandTables } from "./testing/newer-tables";
import { addPerson } from "./testing/people";
import { ask } from "./testing/postgres-server";
import { conversation, events, message, run, runEnd } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";

async function openTwo() {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const open = async () => {
    const store = await openStoreOn(await openPostgresEngine({ dataDir: tempDir(), url, isShared: true }));
    onTestFinished(() => store.close());
    return store;
  };
  return { url, one: await open(), other: await open() };
}

/** What a store hears of a topic. */
function hear({ bus }: Store, topic: Topic): string[] {
  const heard: string[] = [];
  onTestFinished(bus.subscribe(topic, (body) => heard.push(body)));
  return heard;
}

/** Resolves when everything that the first has published before has come to the second. */
async function settle(from: Store, to: Store): Promise<void> {
  const last = hear(to, "run:last");
  from.bus.publish("run:last");
  await expect.poll(() => last.length).toBeGreaterThan(0);
}

test("a hint is heard here at once and elsewhere soon, each time once, by those who listen", async () => {
  const { one, other } = await openTwo();
  const [here, there, apart] = [hear(one, "run:a"), hear(other, "run:a"), hear(other, "run:b")];
  const left = vi.fn();
  other.bus.subscribe("run:a", left)();
  one.bus.publish("run:a", "first");
  expect(here).toEqual(["first"]);
  await expect.poll(() => there).toEqual(["first"]);
  one.bus.publish("run:a", "end");
  await settle(one, other);
  await settle(other, one);
  expect([here, there, apart]).toEqual([["first", "end"], ["first", "end"], []]);
  expect(left).not.toHaveBeenCalled();
});

test("more hints than a notification holds all arrive, those that say the same once", async () => {
  const { one, other } = await openTwo();
  const topics = Array.from({ length: 1_000 }, (_, index): Topic => `run:${index}-${"x".repeat(30)}`);
  const heard = topics.map((topic) => hear(other, topic));
  for (const topic of [...topics, ...topics]) one.bus.publish(topic);
  await settle(one, other);
  expect(heard.every((bodies) => bodies.length === 1)).toBe(true);
});

test("who reads a log elsewhere is told of each commit after it, of a failed one never, and of the end", async () => {
  const { one, other } = await openTwo();
  const question = message("q", null, { conversationId: "c" });
  const row = run("a", { conversationId: "c", messageId: "q", parentId: "q", status: "running" });
  await one.runs.begin({ ...row, endedAt: null }, { conversation: conversation({ id: "c" }), question });
  const heard = hear(other, "run:a");
  const seen: Promise<number>[] = [];
  onTestFinished(other.bus.subscribe("run:a", () => seen.push(other.log.lastSeq("a"))));
  await one.log.append("a", events(1, 2), false);
  await expect.poll(() => heard).toEqual([""]);
  await expect(one.log.append("a", events(2, 2), true)).rejects.toMatchObject({ code: "duplicate" });
  await settle(one, other);
  expect(heard).toEqual([""]);
  await one.log.append("a", events(3, 3), true);
  await one.runs.finish("a", { status: "completed", iterations: [], endedAt: 5, result: runEnd() }, []);
  await expect.poll(() => heard).toEqual(["", "", "end"]);
  expect(await Promise.all(seen)).toEqual([2, 3, 3]);
});

test("hints are heard again after the session that listens was ended, and nonsense is not heard", async () => {
  const { one, other, url } = await openTwo();
  const heard = hear(other, "run:a");
  await endListening(other);
  await ask(url, `notify meguri, 'nonsense'; notify meguri, '["x", "y"]'`);
  await expect
    .poll(() => {
      one.bus.publish("run:a");
      return heard.length;
    })
    .toBeGreaterThan(0);
});

test("without others nothing is sent", async () => {
  const { url, one, other } = await openTwo();
  const members = { id: one.members.id, hasOthers: false };
  const bus = new NotifyBus(url, members);
  await bus.start();
  onTestFinished(() => bus.close());
  const heard = hear(other, "run:a");
  bus.publish("run:a", "unheard");
  members.hasOthers = true;
  bus.publish("run:a", "heard");
  await expect.poll(() => heard).toEqual(["heard"]);
});

/** What a store hears of changes. */
function follow({ bus }: Store): Change[] {
  const told: Change[] = [];
  onTestFinished(bus.onChange((change) => told.push(change)));
  return told;
}

test("others are told of each change of what instances keep in memory, once it is committed, and nobody of their own", async () => {
  const { one, other } = await openTwo();
  const [own, told] = [follow(one), follow(other)];
  await one.settings.set("ann", "rules", []);
  await one.settings.update("ann", "rules", () => undefined);
  await expect(
    one.settings.updateAll("ann", ["rules"], () => {
      throw new Error("refused");
    }),
  ).rejects.toThrow("refused");
  await one.settings.delete("ann", "rules");
  await addPerson(one, "ann");
  await one.accounts.noteSeen("ann", "s-ann", 5);
  await one.accounts.changePerson("ann", { limits: { runs: 1 } });
  await one.accounts.endSessions("ann", { butFor: null });
  await one.approvals.set("desk", "hash");
  await one.documents.write("mcp-servers", "{}", undefined);
  await settle(one, other);
  const setting = { kind: "setting", owner: "ann", key: "rules" };
  expect(told).toEqual([
    ...[setting, setting],
    ...[
      { kind: "person", id: "ann" },
      { kind: "person", id: "ann" },
    ],
    ...[{ kind: "session", id: "s-ann" }, { kind: "servers" }, { kind: "servers" }],
  ]);
  await settle(other, one);
  expect(own).toEqual([]);
});

test("a change that is too long to be named, and that of all settings, may have been any change", async () => {
  const { one, other, url } = await openTwo();
  const told = follow(other);
  await one.settings.set("ann", "k".repeat(9_000), 1);
  await settle(one, other);
  expect(told).toEqual([{ kind: "everything" }]);
  await ask(url, "truncate setting");
  await expect.poll(() => told).toHaveLength(2);
  expect(told[1]).toEqual({ kind: "everything" });
});

test("a newer version that tells of a topic of its own is not heard; of a change that is not known anything may have changed", async () => {
  const { one, other, url } = await openTwo();
  const told = follow(other);
  await ask(url, expandTables);
  await ask(url, "update newer_thing set body = 'three'");
  await settle(one, other);
  expect(told).toEqual([]);
  await ask(url, `select tell_change('{"kind": "newer", "id": "a"}')`);
  await expect.poll(() => told).toEqual([{ kind: "everything" }]);
});

test("a setting that was read is forgotten when another instance changes it, also while nothing is heard", async () => {
  const { one, other } = await openTwo();
  await one.settings.set("ann", "rules", 1);
  expect(await other.settings.get("ann", "rules")).toBe(1);
  await one.settings.set("ann", "rules", 2);
  await expect.poll(() => other.settings.get("ann", "rules")).toBe(2);
  await endListening(other);
  await one.settings.set("ann", "rules", 3);
  await expect.poll(() => other.settings.get("ann", "rules")).toBe(3);
  await one.settings.delete("ann", "rules");
  await expect.poll(() => other.settings.get("ann", "rules")).toBeUndefined();
});

test("a line that has gone silent without an end is given up, and what was missed is told as everything", async () => {
  const { one, other, url } = await openTwo();
  const way = await openDatabaseWay(url);
  onTestFinished(() => way.close());
  const bus = new NotifyBus(way.over(url), { id: one.members.id, hasOthers: true });
  await bus.start();
  onTestFinished(() => bus.close());
  const told: Change[] = [];
  onTestFinished(bus.onChange((change) => told.push(change)));
  way.part();
  way.heal("forNewOnly");
  await expect.poll(() => told.length).toBeGreaterThan(1);
  expect(told.every(({ kind }) => kind === "everything")).toBe(true);
  await expect
    .poll(async () => {
      await other.settings.set("ann", "rules", 1);
      return told;
    })
    .toContainEqual({ kind: "setting", owner: "ann", key: "rules" });
});

test("a hint that was on the way as the line broke, or came while there was none, is heard over the next one", async () => {
  const { one, other, url } = await openTwo();
  const way = await openDatabaseWay(url);
  onTestFinished(() => way.close());
  const bus = new NotifyBus(way.over(url), { id: one.members.id, hasOthers: true });
  await bus.start();
  onTestFinished(() => bus.close());
  const heard = hear(other, "user:ann");
  way.part();
  bus.publish("user:ann", "conversations");
  await expect.poll(() => bus.isUp, { timeout: 10_000 }).toBe(false);
  bus.publish("user:ann", "settings");
  way.heal("forNewOnly");
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["conversations", "settings"]);
});

test("what an instance tells as its last is heard", async () => {
  const { one, other } = await openTwo();
  const heard = hear(other, "user:ann");
  one.bus.publish("user:ann", "settings");
  // Is sent with the next statement.
  one.bus.publish("user:ann", "conversations");
  await one.close();
  await expect.poll(() => heard.toSorted()).toEqual(["conversations", "settings"]);
});

test("what is changed while nothing is heard is told as everything, as soon as something is heard again", async () => {
  const { other, url } = await openTwo();
  await other.settings.set("ann", "rules", 1);
  expect(await other.settings.get("ann", "rules")).toBe(1);
  const told = follow(other);
  // Whoever opens a session looks into the table first.
  await ask(
    url,
    `begin; lock table instance in access exclusive mode;
    select pg_terminate_backend(pid, 1000) from pg_stat_activity
      where application_name = '${other.members.id}' and query ~* '^(listen|select pg_notify)';
    update setting set value = '2'; commit`,
  );
  await expect.poll(() => told).toContainEqual({ kind: "everything" });
  expect(await other.settings.get("ann", "rules")).toBe(2);
  expect(told).not.toContainEqual({ kind: "setting", owner: "ann", key: "rules" });
});
