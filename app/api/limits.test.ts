import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { PersonItem } from "@/lib/protocol/accounts";
import type { AuditItem } from "@/lib/protocol/audit";
import type { EverybodysUsage, LimitsPatch, UsageItem } from "@/lib/protocol/person-limits";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say, until, usage } from "@/lib/providers/testing/steps";
import { Limits } from "@/lib/server/accounts/person-limits";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

let script: Step[][] = [];
let turns = 0;
const server = await startOpenAiServer(() => script[Math.min(turns++, script.length - 1)] ?? []);
afterAll(() => server.close());
withApplication(
  { fixture: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { AUTH: "accounts", TOOL_APPROVAL: "allow", OPENAI_BASE_URL: server.url },
);

let admin: TestPerson;
let count = 0;
/** Each test has people of its own. */
const member = () => join(admin, `Member${++count}`);
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  const prices = { "openai/test-model": { input: 1_000, output: 0 } };
  expect((await admin.call("PATCH", "/api/settings", { prices })).status).toBe(200);
});

/** A dollar for a thousand tokens that go in. */
const answer = (...steps: Step[][]) => {
  script = steps;
  turns = 0;
};
const ask = (person: TestPerson, more: object = {}) =>
  person.call("POST", "/api/chat", { model: "openai/test-model", message: { text: "Hello" }, ...more });
const limit = async (person: TestPerson, limits: LimitsPatch): Promise<PersonItem> => {
  const changed = await admin.call("PATCH", `/api/users/${person.id}`, { limits });
  expect(changed.status).toBe(200);
  return changed.json();
};
const used = async (person: TestPerson): Promise<UsageItem> =>
  (await person.call("GET", "/api/usage")).json();
const refusal = async (response: Response) => [response.status, (await response.json()).error?.code];

/** The process ends well, and another one begins on the same files. */
async function restart(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
  const started = await getDeps();
  await vi.waitFor(() => expect(started.pool.server("fixture")?.status).toBe("ready"), 20_000);
}

test("a day's tokens: the answer that spends them ends whole, the next is not begun, also after a restart", async () => {
  const ben = await member();
  await limit(ben, { tokensPerDay: 100_000 });
  answer([say("Long."), usage(90_000, 30_000)]);
  expect((await readStream(await ask(ben))).status).toBe("completed");
  expect((await used(ben)).today).toMatchObject({ tokens: 120_000, cost: 90 });
  const refused = await ask(ben);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refusal(refused)).toEqual([429, "day_limit"]);
  await restart();
  expect(await refusal(await ask(ben))).toEqual([429, "day_limit"]);
  // Nobody else is held up, and more can be had at once.
  expect((await readStream(await ask(admin))).status).toBe("completed");
  await limit(ben, { tokensPerDay: 1_000_000 });
  expect((await readStream(await ask(ben))).status).toBe("completed");
  const { days } = await used(ben);
  expect(days).toMatchObject([{ tokens: 240_000, cost: 180 }]);
});

test("an answer that goes on stops before its next turn, and says why", async () => {
  const ben = await member();
  answer([callTools({ name: "fixture__echo", args: {} }), usage(6_000, 0)], [say("Never."), usage(1, 0)]);
  await limit(ben, { costPerDay: 5 });
  const ended = await readStream(await ask(ben));
  expect(turns).toBe(1);
  expect(ended.status).toBe("failed");
  const result = ended.chunks.find((chunk) => chunk.type === "result")?.result;
  expect(result).toMatchObject({ stopReason: "error", error: { code: "day_limit" } });
  expect(result?.error?.message).toMatch(/^You have reached today's limit of \$5; /);
  // What a deletion takes away was used all the same.
  await ben.call("DELETE", `/api/conversations/${ended.conversationId}`);
  expect(await refusal(await ask(ben))).toEqual([429, "day_limit"]);
});

test("a limit that is set while an answer is written holds for its next turn", async () => {
  const ben = await member();
  const held = Promise.withResolvers<void>();
  answer(
    [callTools({ name: "fixture__echo", args: {} }), until(held.promise), usage(3_000, 0)],
    [say("No.")],
  );
  const next = server.requests.length;
  const asked = await ask(ben);
  await server.request(next);
  await limit(ben, { costPerDay: 2 });
  held.resolve();
  expect((await readStream(asked)).status).toBe("failed");
  expect(turns).toBe(1);
});

test("of many answers asked for at once, in any tab, as many begin as a person may have", async () => {
  const [ben, cleo] = [await member(), await member()];
  const held = Promise.withResolvers<void>();
  answer([until(held.promise), say("Done.")]);
  await limit(ben, { runs: 2 });
  const asked = await Promise.all(Array.from({ length: 8 }, () => ask(ben)));
  expect(asked.map(({ status }) => status).toSorted()).toEqual([200, 200, ...Array(6).fill(429)]);
  const other = await ask(cleo);
  expect(other.status).toBe(200);
  expect(await refusal(await ask(ben))).toEqual([429, "too_many_runs"]);
  held.resolve();
  const open = [...asked.filter(({ status }) => status === 200), other];
  expect((await Promise.all(open.map(readStream))).map(({ status }) => status)).toEqual(
    Array(3).fill("completed"),
  );
  expect((await readStream(await ask(ben))).status).toBe("completed");
});

test("what is used in a temporary chat counts, and is still told when it is gone", async () => {
  const ben = await member();
  answer([say("Gone soon."), usage(7, 0)]);
  await readStream(await ask(ben, { temporary: true }));
  expect((await used(ben)).today).toMatchObject({ tokens: 7 });
  const { store } = await getDeps();
  expect(await store.usageDays.of(ben.id, "2000-01-01")).toMatchObject([{ tokens: 7 }]);
});

test("the limits of the role hold where a person has none of their own, at once when it changes", async () => {
  const ben = await member();
  const shared = (body: object) => admin.call("PATCH", "/api/limits", body);
  expect((await shared({ member: { servers: 3, runs: 5 } })).status).toBe(200);
  expect((await used(ben)).limits).toMatchObject({ servers: 3, runs: 5 });
  await limit(ben, { runs: 1 });
  expect((await used(ben)).limits).toMatchObject({ servers: 3, runs: 1 });
  await admin.call("PATCH", `/api/users/${ben.id}`, { role: "admin" });
  expect((await used(ben)).limits).toEqual({ runs: 1 });
  await limit(ben, { runs: null });
  expect((await used(ben)).limits).toEqual({});
  await shared({ member: { servers: null, runs: null } });
  expect(await (await admin.call("GET", "/api/limits")).json()).toMatchObject({ member: {}, admin: {} });
});

test("files and servers of one's own end at their limit, which the refusal names", async () => {
  const ben = await member();
  await limit(ben, { bytes: 1024 * 1024, servers: 1 });
  const upload = () =>
    ben.call("POST", "/api/attachments", "a".repeat(300_000), {
      "x-filename": "a.txt",
      "content-type": "text/plain",
    });
  for (let at = 0; at < 3; at++) expect((await upload()).status).toBe(201);
  const full = await upload();
  expect([full.status, (await full.json()).error.message]).toEqual([507, expect.stringMatching(/ 1 MB /)]);
  expect((await used(ben)).bytes).toBe(900_000);
  const add = (name: string) =>
    ben.call("POST", "/api/mcp/servers", { name, config: { url: server.url, disabled: true } });
  expect((await add("first")).status).toBe(201);
  const many = await add("second");
  expect([many.status, (await many.json()).error.message]).toEqual([
    409,
    expect.stringMatching(/at most 1 servers/),
  ]);
});

test("an admin sees everybody's use by person and by day; a member only their own", async () => {
  const ben = await member();
  answer([say("Yes."), usage(2_000_000, 500)]);
  await readStream(await ask(ben));
  const all: EverybodysUsage = await (await admin.call("GET", "/api/usage?everybody=true&days=1")).json();
  expect(all.people[0]).toEqual({ id: ben.id, name: ben.name, tokens: 2_000_500, cost: 2_000 });
  expect(all.days).toHaveLength(1);
  expect(all.days[0]?.tokens).toBe(all.people.reduce((sum, { tokens }) => sum + tokens, 0));
  const { items } = await (await admin.call("GET", "/api/users?limit=200")).json();
  expect(items.find(({ id }: PersonItem) => id === ben.id)).toMatchObject({ today: { tokens: 2_000_500 } });
  for (const path of ["/api/usage?everybody=true", "/api/limits"])
    expect(await refusal(await ben.call("GET", path))).toEqual([403, "forbidden"]);
  const prices = { "openai/test-model": { input: 0, output: 0 } };
  expect(await refusal(await ben.call("PATCH", "/api/settings", { prices }))).toEqual([403, "forbidden"]);
  expect(await refusal(await ben.call("PATCH", "/api/limits", { admin: { runs: 1 } }))).toEqual([
    403,
    "forbidden",
  ]);
});

test.each([
  [{ limits: {} }, "limits"],
  [{ limits: { runs: -1 } }, "limits.runs"],
  [{ limits: { runs: 1.5 } }, "limits.runs"],
  [{ limits: { tokensPerDay: "many" } }, "limits.tokensPerDay"],
  [{ limits: { costPerDay: 1e9 } }, "limits.costPerDay"],
  [{ limits: { servers: 21 } }, "limits.servers"],
  [{ limits: { memory: 1 } }, "limits.memory"],
])("%j is refused and names the field", async (body, field) => {
  const refused = await admin.call("PATCH", `/api/users/${admin.id}`, body);
  expect(refused.status).toBe(400);
  expect((await refused.json()).error.message).toMatch(new RegExp(`^${field}: `));
});

test("use is kept for 400 days", async () => {
  const { retention, store } = await getDeps();
  const ben = await member();
  const day = 24 * 3_600_000;
  for (const age of [399, 402])
    await store.usageDays.add(ben.id, Date.now() - age * day, { inputTokens: age, outputTokens: 0 });
  await retention.wake();
  expect(await store.usageDays.of(ben.id, "2000-01-01")).toMatchObject([{ tokens: 399 }]);
});

test("zero is nothing at all, and a change of limits stands in the audit log", async () => {
  const ben = await member();
  await limit(ben, { runs: 0 });
  expect(await refusal(await ask(ben))).toEqual([429, "too_many_runs"]);
  const { items }: { items: AuditItem[] } = await (
    await admin.call("GET", "/api/audit?group=people&limit=5")
  ).json();
  expect(items[0]).toMatchObject({ action: "people.limits_changed", on: ben.email, who: { id: admin.id } });
});

test("a new day begins at midnight UTC with nothing used", async () => {
  const { env, store } = await getDeps();
  const ben = await member();
  let now = Date.parse("2026-11-28T23:59:59.500Z");
  const limits = await Limits.open({ env, store }, () => now);
  await limit(ben, { tokensPerDay: 10 });
  const day = await limits.dayBudget(ben.id);
  day.add({ inputTokens: 6, outputTokens: 4 });
  await expect(day.assertLeft()).rejects.toMatchObject({ code: "day_limit" });
  await expect(limits.mostRuns(ben.id)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
  now += 1_000;
  await day.assertLeft();
  day.add({ inputTokens: 3, outputTokens: 0 });
  expect(await limits.usedToday(ben.id)).toEqual({ day: "2026-11-29", tokens: 3, cost: 0 });
});

test("a day that cannot be read for a moment ends no process, and is read again", async () => {
  const { env, store } = await getDeps();
  const ben = await member();
  let now = Date.now();
  let isBroken = false;
  const usageDays = {
    ...store.usageDays,
    of: (...day: Parameters<typeof store.usageDays.of>) =>
      isBroken ? Promise.reject(new Error("The disk is away.")) : store.usageDays.of(...day),
  };
  const limits = await Limits.open({ env, store: { ...store, usageDays } }, () => now);
  const day = await limits.dayBudget(ben.id);
  now += 24 * 3_600_000;
  isBroken = true;
  day.add({ inputTokens: 5, outputTokens: 5 });
  await expect(day.assertLeft()).rejects.toThrow("The disk is away.");
  isBroken = false;
  await day.assertLeft();
  day.add({ inputTokens: 1, outputTokens: 1 });
  expect(await limits.usedToday(ben.id)).toMatchObject({ tokens: 12 });
});

test("the retention of an admin deletes old conversations of everybody, but for what is pinned", async () => {
  const ben = await member();
  const { retention, store } = await getDeps();
  answer([say("Old.")]);
  const ids: string[] = [];
  for (let at = 0; at < 2; at++) ids.push((await readStream(await ask(ben))).conversationId);
  const [old = "", pinned = ""] = ids;
  await ben.call("PATCH", `/api/conversations/${pinned}`, { pinned: true });
  const longAgo = Date.now() - 40 * 24 * 3_600_000;
  for (const id of ids) await store.conversations.update(id, { updatedAt: longAgo });
  const retain = async (days: number | null) => {
    expect((await admin.call("PATCH", "/api/limits", { retention: { days } })).status).toBe(200);
    await retention.wake();
  };
  await retain(50);
  expect((await ben.call("GET", `/api/conversations/${old}`)).status).toBe(200);
  await retain(30);
  await vi.waitFor(async () => expect((await ben.call("GET", `/api/conversations/${old}`)).status).toBe(404));
  expect((await ben.call("GET", `/api/conversations/${pinned}`)).status).toBe(200);
  expect((await used(ben)).retentionDays).toBe(30);
  await retain(null);
  expect((await used(ben)).retentionDays).toBeNull();
});
