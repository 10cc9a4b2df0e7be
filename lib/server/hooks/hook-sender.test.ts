import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { HookEvent } from "@/lib/protocol/hooks";
import { readEnv } from "@/lib/server/env";
import { localPerson } from "@/lib/server/http/guard";
import { openReceiver, type Received, verify } from "@/lib/server/testing/receiver";
import { freePort } from "@/lib/store/testing/free-port";
import { conversation, message, result, run, runEnd } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";
import type { RunRow } from "@/lib/store/types";
import { type HookDeps, HookSender } from "./hook-sender";
import { addHook, listDeliveries, listHooks, patchHook, removeHook, sendAgain, testHook } from "./hooks";
import { changeHooks } from "./stored-hooks";

const userId = localPerson.id;
/** Nobody waits for hours here. */
const waitsMs = Array<number>(7).fill(1);

async function openDeps(env: Record<string, string> = { PRIVATE_HOSTS: "127.0.0.1:*" }): Promise<HookDeps> {
  const store = await openTempStore();
  await store.conversations.create(conversation({ userId, title: "A quiet talk" }));
  await store.messages.append("c1", [message("q", null)]);
  const secrets = { appSecret: "the secret of this test", launchToken: "" };
  return { env: readEnv(env), store, secrets, log: pino({ level: "silent" }) };
}

function send(deps: HookDeps, more: ConstructorParameters<typeof HookSender>[1] = {}): HookSender {
  const sender = new HookSender(deps, { waitsMs, ...more });
  sender.start();
  onTestFinished(() => sender.close());
  return sender;
}

const add = (
  deps: HookDeps,
  url: string,
  events: HookEvent[] = ["run.completed", "run.failed", "run.waiting"],
) => addHook(deps, localPerson, { url, events });

let ids = 0;
/** A run that has ended like this. */
async function endRun(
  { store }: HookDeps,
  status: RunRow["status"] = "completed",
  patch: Partial<RunRow> = {},
): Promise<string> {
  const id = `r${++ids}`;
  await store.runs.create(run(id, { userId, parentId: id, ...patch }));
  const { messages, ...end } = runEnd(result());
  const error = { code: "model_unreachable", message: "It said: secret words." };
  await store.runs.finish(
    id,
    {
      status,
      endedAt: Date.now(),
      iterations: [],
      result: { ...end, ...(status === "failed" && { error }) },
    },
    [],
  );
  return id;
}

const bodyOf = ({ body }: Received) => JSON.parse(body);
const deliveries = async (deps: HookDeps, hookId: string) =>
  (await listDeliveries(deps, localPerson, hookId, { limit: 200 })).items;
const hookOf = async (deps: HookDeps, id: string) =>
  (await listHooks(deps, localPerson)).items.find((hook) => hook.id === id);

test("a hook is told of what it asked for, signed, and without a word of what was written", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const hook = await add(deps, receiver.url, ["run.completed", "run.failed"]);
  send(deps);
  const done = await endRun(deps);
  await expect.poll(() => receiver.received.length).toBe(1);
  const failed = await endRun(deps, "failed");
  await endRun(deps, "waiting");
  await endRun(deps, "stopped");
  // Each call of an MCP client is a run.
  await endRun(deps, "completed", { origin: "gateway" });
  const cut = await endRun(deps, "interrupted");
  await expect.poll(() => receiver.received.length).toBe(3);
  const [first, second, third] = receiver.received;
  if (!first || !second || !third) throw new Error("Three were awaited.");
  for (const each of receiver.received) await verify(each, hook.secret);
  await expect(verify({ ...first, body: `${first.body} ` }, hook.secret)).rejects.toThrow();
  expect(bodyOf(first)).toEqual({
    type: "run.completed",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      ...{ runId: done, status: "completed", kind: "chat", conversationId: "c1", title: "A quiet talk" },
      ...{ url: "http://127.0.0.1:3000/c/c1", model: "demo/demo", startedAt: expect.any(String) },
      ...{ endedAt: expect.any(String), usage: { inputTokens: 5, outputTokens: 2 }, error: null },
    },
  });
  expect(bodyOf(second)).toMatchObject({
    type: "run.failed",
    data: { runId: failed, status: "failed", error: "model_unreachable" },
  });
  expect(second.body).not.toContain("secret words");
  expect(bodyOf(third)).toMatchObject({ type: "run.failed", data: { runId: cut, status: "interrupted" } });
  await expect
    .poll(async () => (await hookOf(deps, hook.id))?.lastDay)
    .toEqual({ arrived: 3, failed: 0, waiting: 0 });
});

test("it is tried eight times under one id, then the hook is switched off and what waits with it", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver((response) => response.writeHead(503).end("upstream\n down \u0000"));
  const hook = await add(deps, receiver.url);
  send(deps);
  await endRun(deps);
  await expect.poll(async () => (await hookOf(deps, hook.id))?.off?.reason).toBe("failing");
  expect(receiver.received).toHaveLength(8);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  for (const each of receiver.received) await verify(each, hook.secret);
  expect(await deliveries(deps, hook.id)).toMatchObject([
    {
      id: receiver.received[0]?.id,
      state: "failed",
      attempts: 8,
      nextAt: null,
      last: { status: 503, text: "upstream down" },
    },
  ]);
  await endRun(deps);
  expect(await deliveries(deps, hook.id)).toHaveLength(1);
  await expect(
    sendAgain(deps, localPerson, { hookId: hook.id, id: receiver.received[0]?.id ?? "" }),
  ).rejects.toMatchObject({ code: "hook_off" });
  // A person who has mended it switches it on, and sends it again under the id that it had.
  receiver.answer = (response) => response.writeHead(200).end();
  expect(await patchHook(deps, localPerson, hook.id, { enabled: true })).toMatchObject({
    enabled: true,
    off: null,
  });
  await sendAgain(deps, localPerson, { hookId: hook.id, id: receiver.received[0]?.id ?? "" });
  await expect.poll(async () => (await deliveries(deps, hook.id))[0]?.state).toBe("arrived");
  expect(receiver.received.at(-1)?.id).toBe(receiver.received[0]?.id);
});

test("an attempt is signed with its own time, however long ago its run has ended", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const { secret } = await add(deps, receiver.url);
  await endRun(deps);
  const { db } = deps.store.accounts.database;
  await db
    .updateTable("hook_delivery")
    .set({ created_at: Date.now() - 3_600_000 })
    .execute();
  send(deps);
  await expect.poll(() => receiver.received.length).toBe(1);
  for (const each of receiver.received) await verify(each, secret);
});

test("an address that says that it is gone is not asked again, one that once failed is", async () => {
  const deps = await openDeps();
  const gone = await openReceiver((response) => response.writeHead(410).end());
  const shaky = await openReceiver((response, at) => response.writeHead(at === 1 ? 500 : 200).end());
  const [one, other] = [await add(deps, gone.url), await add(deps, shaky.url)];
  send(deps);
  await endRun(deps);
  await expect.poll(async () => (await hookOf(deps, one.id))?.off?.reason).toBe("gone");
  await expect
    .poll(async () => (await deliveries(deps, other.id))[0])
    .toMatchObject({ state: "arrived", attempts: 2 });
  expect(gone.received).toHaveLength(1);
  expect((await hookOf(deps, other.id))?.enabled).toBe(true);
});

test("a redirect is not followed, and of an answer without an end little is read", async () => {
  const deps = await openDeps();
  const target = await openReceiver();
  const redirecting = await openReceiver((response) =>
    response.writeHead(307, { location: target.url }).end(),
  );
  const endless = await openReceiver((response) => {
    response.writeHead(500);
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(1_000)));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  });
  const silent = await openReceiver(() => {});
  const hooks = [await add(deps, redirecting.url), await add(deps, endless.url), await add(deps, silent.url)];
  send(deps, { waitsMs: [], timeoutMs: 500 });
  await endRun(deps);
  const lastOf = (id = "") => expect.poll(async () => (await deliveries(deps, id))[0]?.last);
  await lastOf(hooks[0]?.id).toMatchObject({ status: 307, error: "redirect" });
  await lastOf(hooks[1]?.id).toMatchObject({ status: 500, error: null, text: "x".repeat(200) });
  await lastOf(hooks[2]?.id).toMatchObject({ status: null, error: "timeout" });
  expect(target.received).toEqual([]);
  expect((await deliveries(deps, hooks[0]?.id ?? "")).map(({ state }) => state)).toEqual(["failed"]);
});

test("a name that leads into our own network is refused when it is connected to, and so is a port where nobody listens", async () => {
  const deps = await openDeps();
  // Allowed when it was added, and not any more.
  const before = { ...deps, env: readEnv({ PRIVATE_HOSTS: "localhost:8443" }) };
  const hook = await add(before, "https://localhost:8443/");
  const closed = await add(deps, `http://127.0.0.1:${await freePort()}/`);
  send(deps, { waitsMs: [] });
  await endRun(deps);
  const lastOf = (id: string) => expect.poll(async () => (await deliveries(deps, id))[0]?.last);
  await lastOf(hook.id).toMatchObject({
    status: null,
    error: "refused",
    text: expect.stringMatching(/private address\. Add .+:8443 to PRIVATE_HOSTS/),
  });
  await lastOf(closed.id).toMatchObject({ status: null, error: "unreachable", text: "ECONNREFUSED" });
});

test("of a run that cannot be read nothing is told, and what comes after it is", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const hook = await add(deps, receiver.url);
  const broken = await endRun(deps);
  const readable = await endRun(deps);
  const { db } = deps.store.accounts.database;
  await db.updateTable("run").set({ result: "{" }).where("id", "=", broken).execute();
  send(deps);
  await expect.poll(() => deps.store.hookDeliveries.nextAt(0)).toBeUndefined();
  expect(receiver.received.map((each) => bodyOf(each).data.runId)).toEqual([readable]);
  expect((await deliveries(deps, hook.id)).map(({ state }) => state)).toEqual(["arrived"]);
});

async function openDepsOfMember(): Promise<HookDeps> {
  const local = await openDeps();
  const at = new Date().toISOString();
  await local.store.accounts.database.db
    .insertInto("account_user")
    .values({
      ...{
        id: userId,
        name: "Ken",
        email: "ken@example.com",
        email_verified: 0,
        role: "member",
        disabled: 0,
      },
      ...{ created_at: at, updated_at: at },
    })
    .execute();
  return { ...local, env: { ...local.env, AUTH: "accounts", MEMBERS_PRIVATE_HOSTS: ["127.0.0.1:*"] } };
}

test("nothing is sent for somebody who may not sign in any more", async () => {
  const deps = await openDepsOfMember();
  const receiver = await openReceiver();
  const hook = await add(deps, receiver.url);
  await endRun(deps);
  await deps.store.accounts.changePerson(userId, { disabled: true });
  send(deps);
  await expect.poll(() => deliveries(deps, hook.id)).toEqual([]);
  expect(receiver.received).toEqual([]);
});

test("a member does not learn which address a name has in our own network", async () => {
  const deps = await openDepsOfMember();
  const before = { ...deps, env: readEnv({ PRIVATE_HOSTS: "localhost:8443" }) };
  const hook = await add(before, "https://localhost:8443/");
  send(deps, { waitsMs: [] });
  await endRun(deps);
  await expect
    .poll(async () => (await deliveries(deps, hook.id))[0]?.last)
    .toMatchObject({ status: null, error: "refused", text: "" });
});

test("what waited when the process went is sent by the next one, also what it had begun to send", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const hook = await add(deps, receiver.url);
  await endRun(deps);
  await endRun(deps);
  const { hookDeliveries } = deps.store;
  const [begun] = await hookDeliveries.due(Date.now(), { each: 4, limit: 10 });
  if (!begun) throw new Error("Nothing waits.");
  expect(await hookDeliveries.claim(begun, Date.now() + 300)).toBe(true);
  expect(await hookDeliveries.claim(begun, Date.now() + 300)).toBe(false);
  send(deps);
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect
    .poll(async () =>
      (await deliveries(deps, hook.id)).map(({ state, attempts }) => `${state} ${attempts}`).toSorted(),
    )
    .toEqual(["arrived 1", "arrived 2"]);
});

test("nothing is sent of a deleted conversation or for a deleted hook; a hook that is off gets tests alone", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const [one, other] = [await add(deps, receiver.url), await add(deps, receiver.url)];
  await endRun(deps);
  await removeHook(deps, localPerson, one.id);
  await deps.store.conversations.hide("c1", Date.now());
  expect(await deliveries(deps, other.id)).toEqual([]);
  send(deps);
  await expect.poll(() => deps.store.hookDeliveries.nextAt(0)).toBeUndefined();
  await patchHook(deps, localPerson, other.id, { enabled: false });
  await testHook(deps, localPerson, other.id);
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toEqual({
    type: "hook.test",
    timestamp: expect.any(String),
    data: { hookId: other.id },
  });
  await expect.poll(async () => (await deliveries(deps, other.id))[0]?.state).toBe("arrived");
});

test("what another process has added while a hook was switched off is not sent", async () => {
  const deps = await openDeps();
  const receiver = await openReceiver();
  const hook = await add(deps, receiver.url);
  await endRun(deps);
  // Without what waits, as that other process adds it in the same moment.
  await changeHooks(deps, userId, (hooks) => hooks.map((each) => ({ ...each, enabled: false })));
  send(deps);
  await expect
    .poll(async () => (await deliveries(deps, hook.id))[0])
    .toMatchObject({ state: "failed", last: { error: "off" } });
  expect(receiver.received).toEqual([]);
});

test("one address that does not answer keeps no other waiting, and no more waits for it than may", async () => {
  const deps = await openDeps();
  const silent = await openReceiver(() => {});
  const receiver = await openReceiver();
  const [slow, quick] = [await add(deps, silent.url), await add(deps, receiver.url)];
  for (let at = 0; at < 203; at++) await endRun(deps);
  expect((await deliveries(deps, slow.id)).filter(({ last }) => last?.error === "full")).toHaveLength(3);
  send(deps);
  await expect.poll(() => receiver.received.length).toBe(200);
  expect(silent.received.length).toBeLessThanOrEqual(4);
  // Of what is over, with what was never sent, a hundred stay.
  await expect
    .poll(async () => (await deliveries(deps, quick.id)).map(({ state }) => state))
    .toEqual([...Array(3).fill("failed"), ...Array(97).fill("arrived")]);
});
