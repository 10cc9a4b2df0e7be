import { createClient } from "@redis/client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Topic } from "./bus";
import { openStore } from "./open-store";
import type { Store } from "./ports";
import { findRedis } from "./testing/find-redis.mjs";
import { prepareRedis, type RedisServer, redisPassword } from "./testing/redis-server";
import { conversation, events, message, run } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";

const program = findRedis();

/** Two stores on one database and one Redis, and what they have said of it. */
async function openTwo({ isThere = true } = {}) {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const redis = await prepareRedis(program ?? "");
  onTestFinished(redis.close);
  if (isThere) await redis.start();
  const { databaseUrl } = await placeOf(tempDir());
  const open = async (prefix = "meguri:one:") => {
    const store = await openStore({
      ...{ dataDir: tempDir(), databaseUrl, isShared: true },
      redis: { url: redis.url, prefix },
    });
    onTestFinished(() => store.close());
    return store;
  };
  const [one, other] = [await open(), await open()];
  if (isThere) await untilUp(one, other);
  const said = () => warned.mock.calls.map(([line]) => String(line));
  return { redis, open, one, other, said };
}

const untilUp = (...stores: Store[]) => expect.poll(() => stores.every(({ bus }) => bus.isUp)).toBe(true);
const untilDown = (...stores: Store[]) => expect.poll(() => stores.some(({ bus }) => bus.isUp)).toBe(false);

const heardChannels = async (redis: RedisServer) =>
  ((await redis.ask("PUBSUB", "CHANNELS")) as string[]).toSorted();

/** What a store hears of a topic. */
function hear({ bus }: Store, topic: Topic): string[] {
  const heard: string[] = [];
  onTestFinished(bus.subscribe(topic, (body) => heard.push(body)));
  return heard;
}

/** Everything that is published on the server. */
async function overhear(redis: RedisServer): Promise<string[]> {
  const client = createClient({ url: redis.url, socket: { reconnectStrategy: false } });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  const heard: string[] = [];
  await client.pSubscribe("*", (text, channel) => heard.push(`${channel} ${text}`));
  return heard;
}

async function beginRun(store: Store): Promise<void> {
  const question = message("q", null, { conversationId: "c" });
  const row = run("a", { conversationId: "c", messageId: "q", parentId: "q", status: "running" });
  await store.runs.begin({ ...row, endedAt: null }, { conversation: conversation({ id: "c" }), question });
}

describe.skipIf(!program)("with Redis", () => {
  test("a hint is heard at the other one over Redis, once, and here at once; nobody with another prefix hears it", async () => {
    const { redis, open, one, other } = await openTwo();
    const stranger = await open("meguri:two:");
    await untilUp(stranger);
    const overheard = await overhear(redis);
    const [here, there, apart] = [hear(one, "run:a"), hear(other, "run:a"), hear(stranger, "run:a")];
    const channels = ["meguri:one:run:a", "meguri:two:run:a"];
    await expect.poll(() => heardChannels(redis)).toEqual(channels);
    // Each is told to look once it hears, as something may have come before.
    await expect.poll(() => [here, there, apart]).toEqual([[""], [""], [""]]);
    one.bus.publish("run:a", "first");
    expect(here).toEqual(["", "first"]);
    for (const body of ["", "again", "again", "end"]) one.bus.publish("run:a", body);
    await redis.ask("PUBLISH", "meguri:one:run:a", "nonsense");
    await expect.poll(() => there.at(-1)).toBe("end");
    other.bus.publish("run:a", "back");
    await expect.poll(() => here.at(-1)).toBe("back");
    const bodies = ["", "first", "", "again", "end"];
    expect(there).toEqual([...bodies, "back"]);
    expect(here).toEqual(["", "first", "", "again", "again", "end", "back"]);
    expect(apart).toEqual([""]);
    const sent = overheard.filter((line) => line.startsWith("meguri:one:run:a "));
    expect(sent[0]).toBe(`meguri:one:run:a ${one.members.id}\nfirst`);
  });

  test("what nobody reads any more is not listened to", async () => {
    const { redis, one } = await openTwo();
    const ends = [1, 2].map(() => one.bus.subscribe("run:a", () => {}));
    hear(one, "run:b");
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:a", "meguri:one:run:b"]);
    for (const end of ends) end();
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:b"]);
    one.bus.subscribe("run:a", () => {})();
    hear(one, "run:c");
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:b", "meguri:one:run:c"]);
  });

  test("while it is gone hints and events arrive over the database, and once it is back everybody looks; both are said once", async () => {
    const { redis, one, other, said } = await openTwo();
    await beginRun(one);
    const heard = hear(other, "run:a");
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:a"]);
    await redis.kill();
    await untilDown(one, other);
    await one.log.append("a", events(1, 2), false);
    await expect.poll(() => heard).toEqual(["", ""]);
    expect(await other.log.lastSeq("a")).toBe(2);
    await redis.start();
    await untilUp(one, other);
    // Who listens has looked before anything new came.
    expect(heard).toEqual(["", "", ""]);
    const overheard = await overhear(redis);
    await one.log.append("a", events(3, 3), true);
    await expect.poll(() => heard).toHaveLength(4);
    expect(overheard).toContain(`meguri:one:run:a ${one.members.id}\n`);
    const [away, again] = ["does not answer", "answers again"].map((what) => expect.stringContaining(what));
    expect(said()).toEqual([away, away, again, again]);
  });

  test("one that is emptied, and that ends its connections, loses nothing", async () => {
    const { redis, one, other } = await openTwo();
    await beginRun(one);
    const heard = hear(other, "run:a");
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:a"]);
    await redis.ask("FLUSHALL");
    await one.log.append("a", events(1, 1), false);
    await expect.poll(() => heard).toEqual(["", ""]);
    await redis.ask("CLIENT", "KILL", "TYPE", "pubsub");
    await redis.ask("CLIENT", "KILL", "TYPE", "normal");
    await expect.poll(() => heard).toEqual(["", "", ""]);
    await untilUp(one, other);
    await one.log.append("a", events(2, 2), false);
    await expect.poll(() => heard).toHaveLength(4);
  });

  test("one that stays there and says nothing is given up", async () => {
    const { redis, one, other, said } = await openTwo();
    const heard = hear(other, "run:a");
    await expect.poll(() => heard).toEqual([""]);
    redis.freeze();
    await untilDown(one, other);
    one.bus.publish("run:a", "on the way");
    await expect.poll(() => heard).toEqual(["", "on the way"]);
    expect(said()[0]).toContain("does not answer (no answer)");
    await redis.kill();
  });

  test("what was on the way to one that is given up, and the last that an instance tells, arrives over the database", async () => {
    const { redis, one, other } = await openTwo();
    const heard = hear(other, "user:ann");
    await expect.poll(() => heard).toEqual([""]);
    redis.freeze();
    expect(one.bus.isUp).toBe(true);
    one.bus.publish("user:ann", "conversations");
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["", "conversations"]);
    await redis.kill();
    await redis.start();
    await untilUp(one, other);
    one.bus.publish("user:ann", "settings");
    await one.close();
    await expect.poll(() => heard).toContain("settings");
  });

  test("what counts sign-ins goes over the database alone: who may publish on the server has no say in it", async () => {
    const { redis, one, other } = await openTwo();
    const overheard = await overhear(redis);
    const heard = (["attempts", "sign-ins"] as const).map((topic) => hear(other, topic));
    hear(other, "run:a");
    await expect.poll(() => heardChannels(redis)).toEqual(["meguri:one:run:a"]);
    one.bus.publish("attempts", "ann 1");
    one.bus.publish("sign-ins", "state");
    await expect.poll(() => heard).toEqual([["ann 1"], ["state"]]);
    await redis.ask("PUBLISH", "meguri:one:attempts", "somebody\nann 0");
    one.bus.publish("attempts", "ann 2");
    await expect.poll(() => heard).toEqual([["ann 1", "ann 2"], ["state"]]);
    expect(overheard.filter((line) => /attempts|sign-ins/.test(line))).toEqual([
      "meguri:one:attempts somebody\nann 0",
    ]);
  });

  test("the application starts without it, and takes it once it is there; nobody reads the password", async () => {
    const { redis, open, one, other, said } = await openTwo({ isThere: false });
    const heard = hear(other, "run:a");
    one.bus.publish("run:a", "over the database");
    await expect.poll(() => heard).toEqual(["over the database"]);
    await expect.poll(said).toHaveLength(2);
    await redis.start();
    await untilUp(one, other);
    await redis.ask("CONFIG", "SET", "requirepass", "another one");
    await open();
    await expect.poll(() => said().at(-1)).toContain("(WRONGPASS)");
    expect(said()[0]).toContain("(ECONNREFUSED)");
    expect(said().join("\n")).not.toContain(redisPassword);
  });
});
