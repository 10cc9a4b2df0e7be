import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "@/lib/protocol/http";
import type { Schedule, Trigger } from "@/lib/protocol/schedules";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { codeOf, makeToken } from "./testing/tokens";

const model = await startOpenAiServer([[say("Nine.")]], { models: ["test-model"] });
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

const errand = {
  ...{ name: "Numbers", text: "Count them.", budget: { tokens: 100_000 } },
  model: "openai/test-model",
};
const yearly = { ...errand, cron: "0 0 1 1 *" };

const add = async (person: TestPerson) =>
  (await (await person.call("POST", "/api/schedules", yearly)).json()) as Schedule;

async function makeDue(person: TestPerson, id: string): Promise<void> {
  const { store, scheduler } = await getDeps();
  await store.schedules.update(person.id, "schedule", id, (before) => ({
    ...before,
    nextAt: Date.now() - 1_000,
  }));
  await scheduler.wake();
}

const lastOf = async (person: TestPerson) =>
  ((await (await person.call("GET", "/api/schedules")).json()) as Page<Schedule>).items[0]?.lastRun?.status;

test("a schedule asks as its owner, and not once they are disabled", async () => {
  const ben = await join(admin, "Ben");
  const { id } = await add(ben);
  await makeDue(ben, id);
  await vi.waitFor(async () => expect(await lastOf(ben)).toBe("completed"));
  const { store } = await getDeps();
  const count = async () => (await store.runs.list(ben.id, { limit: 9, schedule: id })).items.length;
  expect(await count()).toBe(1);
  const { url } = (await (await ben.call("POST", "/api/triggers", errand)).json()) as Trigger;
  const path = new URL(url ?? "").pathname;
  const call = () => callApi("POST", path, {}, { authorization: "" });
  expect((await call()).status).toBe(202);
  expect((await admin.call("PATCH", `/api/users/${ben.id}`, { disabled: true })).status).toBe(200);
  await makeDue(ben, id);
  expect((await call()).status).toBe(404);
  expect(await count()).toBe(1);
  await admin.call("PATCH", `/api/users/${ben.id}`, { disabled: false });
  expect((await call()).status).toBe(202);
});

test("with their owner schedules and triggers are gone", async () => {
  const cleo = await join(admin, "Cleo");
  const { id } = await add(cleo);
  expect((await admin.call("DELETE", `/api/users/${cleo.id}`)).status).toBe(200);
  await makeDue(cleo, id);
  const { store, retention } = await getDeps();
  expect((await store.runs.list(cleo.id, { limit: 9, schedule: id })).items).toEqual([]);
  await retention.wake();
  expect(await store.schedules.get(cleo.id, "schedule", id)).toBeUndefined();
});

test("a token reads them, and begins what is there with chat; what outlives it needs admin, or a person", async () => {
  const reader = await makeToken(admin, ["read"]);
  const chatter = await makeToken(admin, ["chat"]);
  const operator = await makeToken(admin, ["admin"]);
  const { id } = await add(admin);
  for (const path of ["/api/schedules", "/api/triggers"])
    expect(await codeOf(reader.call("GET", path))).toBe("200");
  expect(await codeOf(reader.call("POST", `/api/schedules/${id}/run`, {}))).toBe("403 insufficient_scope");
  expect(await codeOf(chatter.call("POST", `/api/schedules/${id}/run`, {}))).toBe("202");
  expect(await codeOf(chatter.call("POST", "/api/schedules", yearly))).toBe("403 insufficient_scope");
  expect(await codeOf(chatter.call("PATCH", `/api/schedules/${id}`, {}))).toBe("403 insufficient_scope");
  expect(await codeOf(operator.call("POST", "/api/schedules", yearly))).toBe("201");
  expect(await codeOf(operator.call("POST", "/api/triggers", errand))).toBe("403 not_by_token");
  expect(await codeOf(operator.call("DELETE", `/api/triggers/${id}`))).toBe("403 not_by_token");
});
