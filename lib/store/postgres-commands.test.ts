import { expect, onTestFinished, test } from "vitest";
import { openStoreOn } from "./open-store";
import { openPostgresEngine } from "./postgres-engine";
import { ask } from "./testing/postgres-server";
import { conversation, message, run, runEnd } from "./testing/rows";
import { placeOf, tempDir } from "./testing/temp-store";

async function openTwo() {
  const { databaseUrl: url = "" } = await placeOf(tempDir());
  const open = async () => {
    const store = await openStoreOn(await openPostgresEngine({ dataDir: tempDir(), url, isShared: true }));
    onTestFinished(() => store.close());
    if (!store.commands) throw new Error("Others may be there.");
    return { ...store, commands: store.commands };
  };
  return { url, one: await open(), other: await open() };
}

type Opened = Awaited<ReturnType<typeof openTwo>>["one"];

async function begin({ runs }: Opened, id: string): Promise<void> {
  const question = message(`q-${id}`, null, { conversationId: id });
  const row = run(id, {
    conversationId: id,
    messageId: question.id,
    parentId: question.id,
    status: "running",
  });
  await runs.begin({ ...row, endedAt: null }, { conversation: conversation({ id }), question });
}

const end = { status: "waiting" as const, iterations: [], endedAt: 5, result: runEnd() };
const command = (id: string, runId = "a") => ({ id, runId, kind: "stop", body: "null" });

test("a command comes to the process that drives its run, in order, and its outcome back once", async () => {
  const { one, other } = await openTwo();
  await begin(one, "a");
  expect(await other.commands.give(command("c1"))).toBe("given");
  expect(await other.commands.give({ ...command("c2"), kind: "answer", body: '{"a":1}' })).toBe("given");
  expect(await other.commands.due([])).toEqual([]);
  expect(await one.commands.due([])).toMatchObject([
    { id: "c1", kind: "stop", body: "null", run: { id: "a", status: "running" } },
    { id: "c2", kind: "answer", body: '{"a":1}', run: { id: "a" } },
  ]);
  expect(await one.commands.due(["c1"])).toMatchObject([{ id: "c2" }]);
  expect(await one.commands.open(["a", "b"])).toHaveLength(2);
  expect(await other.commands.collect(["c1", "c2"])).toEqual(new Map());
  await one.commands.settle("c1", '{"answer":1}');
  await one.commands.settle("c1", '{"answer":2}');
  expect(await one.commands.due([])).toMatchObject([{ id: "c2" }]);
  expect(await other.commands.collect(["c1", "c2"])).toEqual(new Map([["c1", '{"answer":1}']]));
  expect(await other.commands.collect(["c1", "c2"])).toEqual(new Map());
  await other.commands.withdraw("c2");
  expect(await one.commands.open(["a"])).toEqual([]);
});

test("nothing is stored for a run that no other process drives", async () => {
  const { one, other } = await openTwo();
  await begin(one, "a");
  await begin(one, "b");
  expect(await one.commands.give(command("c1"))).toBe("nobody");
  expect(await other.commands.give(command("c2", "nowhere"))).toBe("nobody");
  await one.runs.finish("b", end, []);
  expect(await other.commands.give(command("c3", "b"))).toBe("nobody");
  expect(await one.commands.open(["a", "b", "nowhere"])).toEqual([]);
});

test("a run that changes hands takes what is open along", async () => {
  const { one, other, url } = await openTwo();
  await begin(one, "a");
  await other.commands.give(command("c1"));
  await ask(url, `update run set owner_id = '${other.members.id}'`);
  expect(await one.commands.due([])).toEqual([]);
  expect(await other.commands.due([])).toMatchObject([{ id: "c1", run: { id: "a" } }]);
});

test("a run that waits is asked about where a call of it is under way, as long as that process is there", async () => {
  const { one, other, url } = await openTwo();
  await begin(one, "a");
  await begin(one, "b");
  await one.runs.finish("a", { ...end, isHeld: true }, []);
  await one.runs.finish("b", end, []);
  const { id } = one.members;
  expect([await other.runs.get("ann", "a"), await other.runs.get("ann", "b")]).toMatchObject([
    { status: "waiting", heldBy: id },
    { status: "waiting" },
  ]);
  expect(await other.runs.get("ann", "b")).not.toHaveProperty("heldBy");
  expect(await other.commands.give(command("c1"))).toBe("given");
  expect(await other.commands.give(command("c2", "b"))).toBe("nobody");
  expect(await one.commands.give(command("c3"))).toBe("nobody");
  expect(await one.commands.due([])).toMatchObject([{ id: "c1" }]);
  await ask(url, `delete from instance where id = '${id}'`);
  expect(await other.commands.give(command("c4"))).toBe("nobody");
});

test("at most 20 are open for a run, 200 for an owner, and a body of 2 MB is not stored", async () => {
  const { one, other } = await openTwo();
  for (let at = 0; at <= 10; at++) await begin(one, `r${at}`);
  const give = (at: number) => other.commands.give(command(`c${at}`, `r${Math.floor(at / 20)}`));
  for (let at = 0; at < 20; at++) expect(await give(at)).toBe("given");
  expect(await other.commands.give(command("more", "r0"))).toBe("full");
  for (let at = 20; at < 200; at++) await give(at);
  expect(await give(200)).toBe("full");
  expect(await one.commands.due([])).toHaveLength(20);
  await one.commands.settle("c0", "{}");
  expect(await give(200)).toBe("given");
  const long = { ...command("long", "r1"), body: JSON.stringify("x".repeat(2 * 1024 * 1024)) };
  await expect(other.commands.give(long)).rejects.toMatchObject({ code: "invalid" });
});

test("what is a minute old is deleted, settled or not", async () => {
  const { one, other, url } = await openTwo();
  await begin(one, "a");
  for (const id of ["c1", "c2", "c3"]) await other.commands.give(command(id));
  await one.commands.settle("c2", "{}");
  await ask(url, `update run_command set at = at - 61000 where id <> 'c3'`);
  await one.commands.sweep();
  expect(await ask(url, "select id from run_command")).toEqual([{ id: "c3" }]);
});
