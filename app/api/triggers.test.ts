import { afterEach, expect, test, vi } from "vitest";
import type { Page, RunItem } from "@/lib/protocol/http";
import { scheduleLimits, type Trigger } from "@/lib/protocol/schedules";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import { callApi, withApplication } from "./testing/call-api";

const model = await startOpenAiServer([[say("Nine.")]], { models: ["test-model"] });
withApplication({}, { OPENAI_BASE_URL: model.url });

afterEach(async () => {
  const { runs } = await getDeps();
  await vi.waitFor(() => expect(runs.isIdle).toBe(true));
});

const fields = {
  ...{ name: "A build failed", model: "openai/test-model", budget: { tokens: 100_000 } },
  text: "Why did {{body.job.name}} fail? {{ body.job.steps.1 }} {{body.none}}",
};

const send = async <Answer = { error: { code: string; message: string } }>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<{ status: number; body: Answer; headers: Headers }> => {
  const answer = await callApi(method, path, body, headers);
  return { status: answer.status, body: (await answer.json()) as Answer, headers: answer.headers };
};

async function add(more: object = {}): Promise<{ id: string; path: string; token: string }> {
  const { status, body } = await send<Trigger>("POST", "/api/triggers", { ...fields, ...more });
  expect(status).toBe(201);
  const path = new URL(body.url ?? "").pathname;
  return { id: body.id, path, token: path.split("/").at(-1) ?? "" };
}

/** Without a session, as other programs call it. */
const call = (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  send<{ runId: string }>("POST", path, body, { authorization: "", ...headers });

const list = async () => (await send<Page<Trigger>>("GET", "/api/triggers")).body.items;

const questionOf = async (runId: string) => {
  const { store } = await getDeps();
  const run = await store.runs.get(localUser, runId);
  const asked = await store.messages.get(run?.conversationId ?? "", run?.messageId ?? "");
  return asked?.message.role === "user" ? asked.message.parts : [];
};

test("its address is shown once, and begins a run for whoever has it, with what the body says", async () => {
  const { id, path, token } = await add();
  expect(token).toMatch(/^mgt_[\w-]{43}$/);
  const { store } = await getDeps();
  expect((await store.schedules.byToken(hash(token)))?.id).toBe(id);
  expect(JSON.stringify(await list())).not.toContain(token);
  const { status, body } = await call(path, { job: { name: "{{body.job}}", steps: ["a", { b: 1 }] } });
  expect(status).toBe(202);
  expect(await questionOf(body.runId)).toEqual([
    { type: "text", text: 'Why did {{body.job}} fail? {"b":1}' },
  ]);
  await vi.waitFor(async () => expect((await list())[0]?.lastRun?.status).toBe("completed"));
  const run = await send<RunItem>("GET", `/api/runs/${body.runId}`);
  expect(run.body.startedBy).toEqual({ kind: "trigger", id, name: fields.name });
  expect((await send("DELETE", `/api/triggers/${id}`)).status).toBe(200);
  const gone = await send("POST", path, {});
  expect([gone.status, gone.body.error.code]).toEqual([404, "not_found"]);
});

test("the same key begins one run, also at once, and another key another one", async () => {
  const { id, path } = await add();
  const withKey = (key: string) => call(path, {}, { "idempotency-key": key });
  const answers = await Promise.all(Array.from({ length: 5 }, () => withKey("a")));
  const [first] = new Set(answers.map(({ body }) => body.runId));
  expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
  expect((await withKey("a")).body.runId).toBe(first);
  expect((await withKey("b")).body.runId).not.toBe(first);
  const other = await add();
  expect((await call(other.path, {}, { "idempotency-key": "a" })).body.runId).not.toBe(first);
  await send("DELETE", `/api/triggers/${other.id}`);
  for (const key of ["two words", "k".repeat(256)])
    expect((await send("POST", path, {}, { "idempotency-key": key })).status).toBe(400);
  await send("DELETE", `/api/triggers/${id}`);
});

test("a trigger is changed under the same address, and what it cannot have changes nothing", async () => {
  const { id, path } = await add({ servers: [] });
  const patch = (body: object) => send<Trigger>("PATCH", `/api/triggers/${id}`, body);
  const changed = { name: "A test failed", text: "Look at {{body.job}}.", budget: { tokens: 5_000 } };
  const { body } = await patch({ ...changed, model: null });
  const { model: _model, ...kept } = fields;
  expect(body).toMatchObject({ id, ...kept, ...changed, servers: [] });
  expect(body).not.toHaveProperty("url");
  expect(body).not.toHaveProperty("model");
  expect((await patch({ model: fields.model })).body).toMatchObject({ ...changed, model: fields.model });
  const asked = await call(path, { job: "main" });
  expect(await questionOf(asked.body.runId)).toEqual([{ type: "text", text: "Look at main." }]);
  for (const wrong of [{ text: "" }, { name: null }, { budget: {} }, { cron: "0 9 * * *" }, { url: "x" }])
    expect((await patch(wrong)).status).toBe(400);
  expect((await patch({ assistant: "none" })).status).toBe(404);
  expect((await list()).find((each) => each.id === id)).toMatchObject({ ...changed, model: fields.model });
  expect((await send("PATCH", "/api/triggers/none", { name: "x" })).status).toBe(404);
  const schedule = await send<{ id: string }>("POST", "/api/schedules", { ...fields, cron: "0 9 * * *" });
  expect((await send("PATCH", `/api/triggers/${schedule.body.id}`, { name: "x" })).status).toBe(404);
  expect((await send("PATCH", `/api/schedules/${id}`, { name: "x" })).status).toBe(404);
  await send("DELETE", `/api/schedules/${schedule.body.id}`);
  await send("DELETE", `/api/triggers/${id}`);
});

test("a trigger asks thirty times a minute at most, and still tells which run a key has begun", async () => {
  const { id, path } = await add({ text: "Go." });
  const key = { "idempotency-key": "a" };
  const first = await call(path, {}, key);
  for (let count = 1; count < 28; count++) expect((await call(path)).status).toBe(202);
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => call(path)));
  expect(atOnce.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429]);
  const refused = await call(path);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await call(path, {}, key)).toMatchObject({ status: 202, body: first.body });
  await send("DELETE", `/api/triggers/${id}`);
});

test("a body that is too large, no JSON, or too much in the question is refused", async () => {
  const { id, path } = await add({ text: "{{body}} {{body}} {{body}}" });
  const codeOf = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await send("POST", path, body, headers);
    return `${answer.status} ${answer.body.error.code}`;
  };
  expect(await codeOf({ a: "x".repeat(300_000) })).toBe("413 body_too_large");
  expect(await codeOf({ a: "x".repeat(200_000) })).toBe("413 body_too_large");
  const empty = await add({ text: "{{body.none}}" });
  expect((await send("POST", empty.path, {})).status).toBe(400);
  await send("DELETE", `/api/triggers/${empty.id}`);
  expect(await codeOf("{", { "content-type": "application/json" })).toBe("400 invalid_json");
  expect(await codeOf("a=b", { "content-type": "text/plain" })).toBe("415 unsupported_media_type");
  await send("DELETE", `/api/triggers/${id}`);
});

test("a large body that says nothing costs no more in a thousand places than in one", async () => {
  const { id, path } = await add({ text: "{{body}}".repeat(2_500) });
  // Some minutes, where each place had the body read anew; meanwhile nobody else is answered.
  const { status, body } = await send("POST", path, JSON.stringify("\u200b".repeat(80_000)));
  expect([status, body.error.code]).toEqual([400, "invalid_input"]);
  await send("DELETE", `/api/triggers/${id}`);
});

test("a person has so many triggers, apart from schedules", async () => {
  const ids: string[] = [];
  for (let count = 0; count < scheduleLimits.count; count++) ids.push((await add()).id);
  const { status, body } = await send("POST", "/api/triggers", fields);
  expect([status, body.error.code]).toEqual([400, "too_many"]);
  for (const id of ids) await send("DELETE", `/api/triggers/${id}`);
});
