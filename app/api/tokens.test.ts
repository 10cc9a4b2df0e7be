import { beforeAll, expect, test } from "vitest";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";
import type { Page } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser, newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import { withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { codeOf, makeToken, type Program, program } from "./testing/tokens";

const model = await startOpenAiServer(() => [say("One moment."), { type: "hang" }], {
  models: ["test-model"],
});
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

const list = async (person: TestPerson) =>
  ((await (await person.call("GET", "/api/tokens")).json()) as Page<ApiTokenItem>).items;

const post = (person: TestPerson, fields: object) =>
  person.call("POST", "/api/tokens", { name: "A script", scopes: ["read"], expiresAt: null, ...fields });

/** What is stored of one that was made otherwise. */
const row = {
  ...{ name: "Late", start: "mgr_lll", scopes: ["read"] as const, options: {} },
  ...{ createdAt: 1, expiresAt: null, lastUsedAt: null },
};

const question = { message: { text: "Do it." }, model: "openai/test-model" };

/** A run that its model keeps going on, and a stream of it that was opened with a token. */
async function follow(person: TestPerson, call: Program) {
  const begun = await person.call("POST", "/api/chat", question);
  const runId = begun.headers.get("x-run-id") ?? "";
  const stream = await call("GET", `/api/runs/${runId}/stream`);
  expect(stream.status).toBe(200);
  const end = async () => {
    await person.call("POST", `/api/runs/${runId}/stop`, {});
    await begun.text();
  };
  return { runId, stream: stream.text(), end };
}

const inTime = async (stream: Promise<string>, ms = 1_000) => {
  const from = Date.now();
  await stream;
  expect(Date.now() - from).toBeLessThan(ms);
};

test("a token is shown once, kept as a hash, and signs its owner's program in", async () => {
  const ben = await join(admin, "Ben");
  const { call, value, ...item } = await makeToken(ben, ["chat", "read", "chat"]);
  expect(value).toMatch(/^mgr_[\w-]{43}$/);
  expect(item).toEqual({
    ...{ id: item.id, name: "A script", start: value.slice(0, 7), scopes: ["read", "chat"] },
    ...{ createdAt: expect.any(String), expiresAt: null, lastUsedAt: null },
  });
  expect(await list(ben)).toEqual([item]);
  const { database } = (await getDeps()).store.accounts;
  const rows = await database.db.selectFrom("api_token").selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain(value.slice(8));
  expect(await codeOf(call("GET", "/api/conversations"))).toBe("200");
  expect(await codeOf(call("POST", "/api/conversations", {}))).toBe("201");
  expect((await (await ben.call("GET", "/api/conversations")).json()).items).toHaveLength(1);
  expect(JSON.stringify(await list(admin))).not.toContain(item.id);
});

test("what is wrong with a token that is asked for is said of its field", async () => {
  const cleo = await join(admin, "Cleo");
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000).toISOString();
  for (const [fields, field] of [
    [{ name: " " }, "name"],
    [{ name: "n".repeat(81) }, "name"],
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["write"] }, "scopes"],
    [{ expiresAt: undefined }, "expiresAt"],
    [{ expiresAt: "tomorrow" }, "expiresAt"],
    [{ expiresAt: inDays(-1) }, "expiresAt"],
    [{ expiresAt: inDays(367) }, "expiresAt"],
    [{ servers: [""] }, "servers"],
    [{ servers: Array(201).fill("a") }, "servers"],
    [{ names: "plain" }, "names"],
    [{ names: "plain", servers: ["a", "b"] }, "names"],
    [{ names: "short", servers: ["a"] }, "names"],
    [{ onApproval: "ask" }, "onApproval"],
    [{ waitMs: 999 }, "waitMs"],
    [{ waitMs: 3_600_001 }, "waitMs"],
  ] as const) {
    const answer = await post(cleo, fields);
    expect(answer.status, JSON.stringify(fields)).toBe(400);
    expect(JSON.stringify(await answer.json()), JSON.stringify(fields)).toContain(field);
  }
  expect(await codeOf(post(cleo, { scopes: ["read", "admin"] }))).toBe("403 forbidden");
  expect(await list(cleo)).toEqual([]);
  expect(await codeOf(post(cleo, { expiresAt: inDays(365) }))).toBe("201");
  for (let at = 1; at < 50; at++) await makeToken(cleo, ["read"]);
  expect(await codeOf(post(cleo, {}))).toBe("409 too_many");
  expect(await codeOf(post(admin, {}))).toBe("201");
});

test("how a token uses servers is kept as it was asked for", async () => {
  const gus = await join(admin, "Gus");
  const options = { servers: ["a", "b", "a"], names: "qualified", onApproval: "fail", waitMs: 60_000 };
  const made = await post(gus, { scopes: ["mcp"], ...options });
  const kept = { ...options, servers: ["a", "b"] };
  expect(await made.json()).toMatchObject(kept);
  expect(await list(gus)).toMatchObject([kept]);
  expect(await codeOf(post(gus, { scopes: ["mcp"], servers: ["a"], names: "plain" }))).toBe("201");
});

test("who is switched off has no tokens from then on, and what they opened ends within a second", async () => {
  const eli = await join(admin, "Eli");
  const { call } = await makeToken(eli, ["chat"]);
  const { stream } = await follow(eli, call);
  await admin.call("PATCH", `/api/users/${eli.id}`, { disabled: true });
  await inTime(stream);
  expect(await codeOf(call("GET", "/api/conversations"))).toBe("401 unauthorized");
  // One that was being made meanwhile.
  const late = `mgr_${"l".repeat(43)}`;
  const { store } = await getDeps();
  await store.tokens.add({ ...row, id: newId(), userId: eli.id, tokenHash: hash(late) }, 50);
  expect(await codeOf(program(late)("GET", "/api/conversations"))).toBe("401 unauthorized");
  await expect.poll(() => store.tokens.list(eli.id)).toEqual([]);
  await admin.call("PATCH", `/api/users/${eli.id}`, { disabled: false });
  for (const one of [call, program(late)])
    expect(await codeOf(one("GET", "/api/conversations"))).toBe("401 unauthorized");
});

test("what the token of an admin opened ends when they are made a member", async () => {
  const dan = await join(admin, "Dan", "admin");
  const { call } = await makeToken(dan, ["admin"]);
  const { stream, end } = await follow(dan, call);
  await admin.call("PATCH", `/api/users/${dan.id}`, { role: "member" });
  await inTime(stream);
  await end();
});

test("a token that is deleted opens nothing, and what it opened ends within a second; another goes on", async () => {
  const fay = await join(admin, "Fay");
  const [gone, stays] = [await makeToken(fay, ["read"]), await makeToken(fay, ["chat"])];
  const [mine, theirs] = [await follow(fay, gone.call), await follow(fay, stays.call)];
  let isOpen = true;
  void theirs.stream.finally(() => (isOpen = false));
  expect((await fay.call("DELETE", `/api/tokens/${gone.id}`)).status).toBe(200);
  await inTime(mine.stream);
  expect(await codeOf(gone.call("GET", "/api/conversations"))).toBe("401 unauthorized");
  expect(await codeOf(stays.call("GET", "/api/conversations"))).toBe("200");
  expect((await list(fay)).map(({ id }) => id)).toEqual([stays.id]);
  expect(isOpen).toBe(true);
  // The run was nobody's token's: it goes on.
  expect((await getDeps()).runs.get(mine.runId)).toBeDefined();
  await mine.end();
  await theirs.end();
});

test("a token that expires ends what it opened, and then opens nothing", async () => {
  const gil = await join(admin, "Gil");
  const { call } = await makeToken(gil, ["read"], new Date(Date.now() + 2_000).toISOString());
  const { stream, end } = await follow(gil, call);
  await inTime(stream, 3_500);
  expect(await codeOf(call("GET", "/api/conversations"))).toBe("401 unauthorized");
  expect(await list(gil)).toHaveLength(1);
  await end();
});

test("the token of somebody else is answered as one that is not there", async () => {
  const hana = await join(admin, "Hana");
  const { id, call } = await makeToken(hana, ["read"]);
  const told = await Promise.all(
    [id, newId()].map(async (each) => {
      const answer = await admin.call("DELETE", `/api/tokens/${each}`);
      return { status: answer.status, headers: [...answer.headers], text: await answer.text() };
    }),
  );
  expect(told[0]).toEqual(told[1]);
  expect(told[0]?.status).toBe(404);
  expect(await codeOf(call("GET", "/api/conversations"))).toBe("200");
});

test("when a token was used is written now and then, and not for each request", async () => {
  const ida = await join(admin, "Ida");
  const { call } = await makeToken(ida, ["read"]);
  const used = async () => (await list(ida))[0]?.lastUsedAt;
  await call("GET", "/api/conversations");
  await expect.poll(used).not.toBeNull();
  const first = await used();
  for (let at = 0; at < 3; at++) await call("GET", "/api/conversations");
  expect(await used()).toBe(first);
});

test("what was made with AUTH=local signs nobody in", async () => {
  const value = `mgr_${"m".repeat(43)}`;
  const { store } = await getDeps();
  const local = { ...row, id: newId(), userId: localUser, scopes: ["admin"] as const };
  await store.tokens.add({ ...local, tokenHash: hash(value) }, 50);
  expect(await codeOf(program(value)("GET", "/api/conversations"))).toBe("401 unauthorized");
});
