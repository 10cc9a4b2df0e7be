import { expect, test, vi } from "vitest";
import type { Page } from "@/lib/protocol/http";
import { type Schedule, scheduleLimits } from "@/lib/protocol/schedules";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser, newId } from "@/lib/server/ids";
import { callApi, withApplication } from "./testing/call-api";

const model = await startOpenAiServer([[say("Nine.")]], { models: ["test-model"] });
withApplication({}, { OPENAI_BASE_URL: model.url });

const weekly = {
  ...{ name: "Numbers", text: "Count them.", budget: { tokens: 100_000 } },
  ...{ cron: "30 7 * * 1", timeZone: "Asia/Tokyo", model: "openai/test-model" },
};

const send = async <Answer = { error: { code: string; message: string } }>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Answer }> => {
  const answer = await callApi(method, path, body);
  return { status: answer.status, body: (await answer.json()) as Answer };
};

const add = async (more: object = {}) =>
  (await send<Schedule>("POST", "/api/schedules", { ...weekly, ...more })).body;

const list = async () => (await send<Page<Schedule>>("GET", "/api/schedules")).body.items;

const find = async (id: string) => {
  const found = (await list()).find((each) => each.id === id);
  if (!found) throw new Error("There is no such schedule.");
  return found;
};

const remove = (id: string) => send("DELETE", `/api/schedules/${id}`);

test("a schedule is kept with its next times, changed, turned off and on, and deleted", async () => {
  const made = await add();
  expect(made).toEqual({
    ...{ id: made.id, ...weekly, missed: "skip", enabled: true },
    ...{ nextRunAt: made.nextTimes[0], nextTimes: expect.any(Array), createdAt: expect.any(String) },
    ...{ lastRunId: null, lastRun: null, note: null },
  });
  expect(made.nextTimes.map((at) => at.slice(10))).toEqual(Array(3).fill("T22:30:00.000Z"));
  expect(await list()).toEqual([made]);
  const patch = async (body: object) =>
    (await send<Schedule>("PATCH", `/api/schedules/${made.id}`, body)).body;
  expect(await patch({ enabled: false })).toEqual({ ...made, enabled: false, nextRunAt: null });
  expect((await patch({ cron: "0 9 * * *", timeZone: "UTC" })).nextRunAt).toBeNull();
  const on = await patch({ enabled: true, model: null, servers: [] });
  expect(on).toMatchObject({ enabled: true, nextRunAt: on.nextTimes[0], servers: [] });
  expect(on).not.toHaveProperty("model");
  expect(await patch({ name: "Sums" })).toEqual({ ...on, name: "Sums" });
  expect((await remove(made.id)).status).toBe(200);
  expect((await remove(made.id)).status).toBe(404);
  expect(await list()).toEqual([]);
});

test("what is wrong with a schedule is said of its field", async () => {
  for (const [fields, message] of [
    [
      { cron: "* * * * * *" },
      "cron: must have five fields (minute, hour, day of the month, month, day of the week) and no seconds: a schedule asks at most once a minute.",
    ],
    [{ cron: "0 0 30 2 *" }, "cron: names a day that never comes; name one that does."],
    [{ timeZone: "Mars/Base" }, 'timeZone: must be a time zone as "Europe/Berlin" or "UTC".'],
    [{ budget: undefined }, /^budget: /],
    [{ budget: {} }, "budget: name at least one of tokens, toolCalls, cost and timeMs."],
    [{ name: " " }, "name: must not be empty."],
    [{ text: "" }, "text: must not be empty."],
    [{ text: "x".repeat(scheduleLimits.text + 1) }, /^text: /],
    [{ missed: "twice" }, /^missed: /],
    [{ model: "openai" }, /^model: /],
    [{ model: "nobody/model" }, /^model: /],
    [{ agent: "none", model: undefined }, /there is no agent none/],
    [{ assistant: newId() }, /no such assistant/],
    [{ projectId: newId() }, /no such project/],
    [{ agent: "a", assistant: "b" }, /^agent: goes without/],
    [{ url: "x" }, /^url: /],
  ] as const) {
    const { status, body } = await send("POST", "/api/schedules", { ...weekly, ...fields });
    expect(status, JSON.stringify(fields)).toBeGreaterThanOrEqual(400);
    expect(status, JSON.stringify(fields)).toBeLessThan(500);
    expect(body.error.message, JSON.stringify(fields)).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  }
  const made = await add();
  const { body } = await send("PATCH", `/api/schedules/${made.id}`, { cron: "every day" });
  expect(body.error.message).toMatch(/^cron: must have five fields/);
  await remove(made.id);
  expect(await list()).toEqual([]);
});

test("a person has so many schedules", async () => {
  const ids: string[] = [];
  for (let count = 0; count < scheduleLimits.count; count++) ids.push((await add()).id);
  const { status, body } = await send("POST", "/api/schedules", weekly);
  expect([status, body.error.code]).toEqual([400, "too_many"]);
  for (const id of ids) await remove(id);
});

test("the next times of what is being written are told, and why it cannot be read", async () => {
  const times = (query: Record<string, string>) =>
    send<{ nextTimes: string[]; error: { message: string; details: { issues: { path: string }[] } } }>(
      "GET",
      `/api/schedules/times?${new URLSearchParams(query)}`,
    );
  const known = await times({ cron: "30 7 * * 1", timeZone: "Asia/Tokyo" });
  expect(known.body.nextTimes.map((at) => at.slice(10))).toEqual(Array(3).fill("T22:30:00.000Z"));
  for (const [cron, timeZone, field] of [
    ["* * * * * *", "UTC", "cron"],
    ["0 0 31 2 *", "UTC", "cron"],
    ["0 9 * * *", "Mars/Base", "timeZone"],
  ] as const) {
    const { status, body } = await times({ cron, timeZone });
    expect([status, body.error.details.issues[0]?.path]).toEqual([400, field]);
    expect(body.error.message).toMatch(new RegExp(`^${field}: `));
  }
  expect((await times({ cron: "0 9 * * *" })).status).toBe(400);
});

test("asked now it is answered in a conversation of its name, in its project", async () => {
  const project = await send<{ id: string }>("POST", "/api/projects", { name: "Board", instructions: "" });
  const { id } = await add({ projectId: project.body.id });
  const begun = await send<{ runId: string; conversationId: string }>("POST", `/api/schedules/${id}/run`, {});
  expect(begun.status).toBe(202);
  const { runId, conversationId } = begun.body;
  await vi.waitFor(async () => expect((await find(id)).lastRun?.status).toBe("completed"));
  const told = await find(id);
  expect(told).toMatchObject({ lastRunId: runId, lastRun: { id: runId, conversationId }, note: null });
  const run = await send("GET", `/api/runs/${runId}`);
  expect(run.body).toMatchObject({ startedBy: { kind: "schedule", id, name: "Numbers" } });
  const conversation = await send("GET", `/api/conversations/${conversationId}`);
  expect(conversation.body).toMatchObject({ title: "Numbers", projectId: project.body.id });
  const ofKind = async (query: string) =>
    (await send<Page<{ id: string }>>("GET", `/api/runs?${query}`)).body.items.map((item) => item.id);
  expect(await ofKind("kind=schedule")).toContain(runId);
  expect(await ofKind(`schedule=${id}`)).toEqual([runId]);
  expect(await ofKind("kind=chat")).toEqual([]);
  await remove(id);
  expect((await send("GET", `/api/runs/${runId}`)).status).toBe(200);
});

test("what is due is asked by itself, and the last run that goes on is not asked beside", async () => {
  const { store, scheduler } = await getDeps();
  const { id } = await add();
  await store.schedules.update(localUser, "schedule", id, (before) => ({
    ...before,
    nextAt: Date.now() - 1_000,
  }));
  await scheduler.wake();
  await vi.waitFor(async () => expect((await find(id)).lastRun?.status).toBe("completed"));
  expect(Date.parse((await find(id)).nextRunAt ?? "")).toBeGreaterThan(Date.now());
  await remove(id);
});

test("one whose assistant is gone is switched off and moved, and is not switched on", async () => {
  const assistant = await send<{ id: string }>("POST", "/api/assistants", { name: "Clerk" });
  const made = await add({ model: undefined, assistant: assistant.body.id });
  expect((await send("DELETE", `/api/assistants/${assistant.body.id}`)).status).toBe(200);
  const patch = (body: object) => send("PATCH", `/api/schedules/${made.id}`, body);
  expect(await patch({ cron: "0 9 * * *" })).toMatchObject({ status: 200, body: { cron: "0 9 * * *" } });
  expect(await patch({ enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
  const refused = { status: 404, body: { error: { message: "There is no such assistant." } } };
  expect(await patch({ enabled: true })).toMatchObject(refused);
  expect(await patch({ text: "Count again." })).toMatchObject(refused);
  expect(await patch({ enabled: true, assistant: null })).toMatchObject({ status: 200 });
  await remove(made.id);
});
