import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { HookDelivery, HookItem, NewHook } from "@/lib/protocol/hooks";
import { getDeps } from "@/lib/server/entry/deps";
import { HookSender } from "@/lib/server/hooks/hook-sender";
import { openReceiver, verify } from "@/lib/server/testing/receiver";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
withApplication({ plain: fixture }, { PRIVATE_HOSTS: "127.0.0.1:*" });

let sender: HookSender;
beforeAll(async () => {
  sender = new HookSender(await getDeps());
  sender.start();
});
afterAll(() => sender.close());

const path = "/api/hooks";
const call = async (method: string, where: string, body?: unknown) => {
  const response = await callApi(method, where, body);
  return { status: response.status, body: await response.json() };
};
const list = async (): Promise<HookItem[]> => (await call("GET", path)).body.items;
const add = async (url: string, events: string[] = ["run.completed"]): Promise<NewHook> => {
  const { status, body } = await call("POST", path, { url, events });
  expect(status).toBe(201);
  return body;
};
const deliveries = async (id: string): Promise<HookDelivery[]> =>
  (await call("GET", `${path}/${id}/deliveries`)).body.items;
const ask = async (text: string) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo" }));

beforeEach(async () => {
  for (const { id } of await list()) await callApi("DELETE", `${path}/${id}`);
});

test("a hook is added, listed without its secret, changed and deleted", async () => {
  const { secret, ...made } = await add("https://hooks.example/T02/B7#x", ["run.waiting", "run.completed"]);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made).toEqual({
    ...{ id: expect.any(String), url: "https://hooks.example/T02/B7", enabled: true, off: null },
    events: ["run.completed", "run.waiting"],
    ...{ secretEnd: secret.slice(-3, -1), createdAt: expect.any(String) },
    lastDay: { arrived: 0, failed: 0, waiting: 0 },
  });
  expect(await list()).toEqual([made]);
  const where = `${path}/${made.id}`;
  expect((await call("PATCH", where, { enabled: false, events: ["run.failed"] })).body).toEqual({
    ...made,
    ...{ enabled: false, events: ["run.failed"] },
  });
  // What is stored tells neither the address nor the secret.
  const { store } = await getDeps();
  const stored = JSON.stringify(await store.settings.get("local", "hooks"));
  expect(stored).toContain(made.id);
  expect(stored).not.toContain("hooks.example");
  expect((await call("DELETE", where)).status).toBe(200);
  expect(await list()).toEqual([]);
  for (const [method, place] of [
    ["PATCH", where],
    ["DELETE", where],
    ["GET", `${where}/deliveries`],
    ["POST", `${where}/test`],
  ] as const)
    expect((await call(method, place, method === "GET" || method === "DELETE" ? undefined : {})).status).toBe(
      404,
    );
});

test("what cannot be an address of a hook is refused with the next step", async () => {
  const refusal = async (url: unknown, more: object = {}) => {
    const { status, body } = await call("POST", path, { url, events: ["run.failed"], ...more });
    return [status, body.error?.message];
  };
  expect(await refusal("hooks.example")).toEqual([400, expect.stringMatching(/^url: write a whole address/)]);
  expect(await refusal("ftp://hooks.example")).toEqual([400, expect.stringMatching(/^url: write a whole/)]);
  expect(await refusal("http://hooks.example")).toEqual([400, expect.stringMatching(/^url: use https:/)]);
  expect(await refusal("https://a:b@hooks.example")).toEqual([400, expect.stringContaining("password")]);
  expect(await refusal("http://10.0.0.7:9000/x")).toEqual([
    ...[400, "url: 10.0.0.7 is a private address. Add 10.0.0.7:9000 to PRIVATE_HOSTS if it is meant."],
  ]);
  expect(await refusal("https://localhost/x")).toEqual([400, expect.stringContaining("localhost:443")]);
  expect(await refusal(7)).toEqual([400, expect.stringMatching(/^url: /)]);
  expect(await refusal("https://hooks.example", { events: [] })).toEqual([
    400,
    expect.stringContaining("name at least one"),
  ]);
  expect(await refusal("https://hooks.example", { events: ["run.begun"] })).toEqual([
    400,
    expect.stringMatching(/^events\.0: /),
  ]);
  expect(await refusal("https://hooks.example", { secret: "mine" })).toEqual([
    400,
    expect.stringContaining("secret"),
  ]);
  for (let at = 0; at < 10; at++) await add(`https://hooks.example/${at}`);
  expect(await refusal("https://hooks.example/more")).toEqual([
    409,
    expect.stringContaining("at most 10 hooks"),
  ]);
});

test("an answer of a chat is told of, also one that waits; the list of deliveries has pages", async () => {
  const receiver = await openReceiver();
  const hook = await add(receiver.url, ["run.completed", "run.waiting"]);
  const { runId, conversationId } = await ask("Hello");
  await expect.poll(() => receiver.received.length).toBe(1);
  const waiting = await ask('/tool plain__echo {"a": 1}');
  expect(waiting.status).toBe("waiting");
  await expect.poll(() => receiver.received.length).toBe(2);
  const [first, second] = receiver.received;
  if (!first || !second) throw new Error("Two were awaited.");
  for (const each of [first, second]) await verify(each, hook.secret);
  expect(first.headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": expect.stringMatching(/^Meguri\//),
  });
  expect(JSON.parse(first.body)).toMatchObject({
    type: "run.completed",
    data: { runId, conversationId, title: "Hello" },
  });
  expect(JSON.parse(second.body)).toMatchObject({
    type: "run.waiting",
    data: { runId: waiting.runId, status: "waiting" },
  });
  await expect
    .poll(async () => (await deliveries(hook.id)).map(({ state }) => state))
    .toEqual(["arrived", "arrived"]);
  const { body: page } = await call("GET", `${path}/${hook.id}/deliveries?limit=1`);
  expect(page.items).toMatchObject([
    { id: second.id, event: "run.waiting", attempts: 1, last: { status: 204 } },
  ]);
  const rest = await call("GET", `${path}/${hook.id}/deliveries?limit=1&cursor=${page.nextCursor}`);
  expect(rest.body).toMatchObject({ items: [{ id: first.id }], nextCursor: null });
  expect((await list())[0]?.lastDay).toEqual({ arrived: 2, failed: 0, waiting: 0 });
});

test("a test is sent at once, and a delivery again under its id", async () => {
  const receiver = await openReceiver((response, at) => response.writeHead(at === 1 ? 500 : 200).end("no"));
  const hook = await add(receiver.url);
  const { status, body } = await call("POST", `${path}/${hook.id}/test`, {});
  expect([status, body.event]).toEqual([202, "hook.test"]);
  await expect
    .poll(async () => (await deliveries(hook.id))[0])
    .toMatchObject({
      ...{ id: body.id, state: "failed", attempts: 1, nextAt: null, last: { status: 500, text: "no" } },
    });
  expect((await list())[0]?.enabled).toBe(true);
  const again = await call("POST", `${path}/${hook.id}/deliveries/${body.id}`, {});
  expect([again.status, again.body.state]).toEqual([202, "waiting"]);
  await expect.poll(() => receiver.received.map(({ id }) => id)).toEqual([body.id, body.id]);
  await expect.poll(async () => (await deliveries(hook.id))[0]?.state).toBe("arrived");
  expect((await call("POST", `${path}/${hook.id}/deliveries/msg_none`, {})).status).toBe(404);
});

test.skipIf(process.env.STORE_ENGINE === "postgres")("of a temporary chat nothing is told", async () => {
  const receiver = await openReceiver();
  const hook = await add(receiver.url);
  const body = { message: { text: "Between us" }, model: "demo/demo", temporary: true };
  expect((await readStream(await callApi("POST", "/api/chat", body))).status).toBe("completed");
  await ask("Hello");
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(receiver.received[0]?.body).not.toContain("Between us");
  expect(await deliveries(hook.id)).toHaveLength(1);
});
