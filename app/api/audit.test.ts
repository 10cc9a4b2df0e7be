import { beforeAll, expect, test } from "vitest";
import type { AuditItem } from "@/lib/protocol/audit";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, withApplication } from "./testing/call-api";
import { invite, join, password, signUp, stranger, type TestPerson, toPerson } from "./testing/people";

withApplication({}, { AUTH: "accounts", TRUSTED_PROXIES: "10.0.0.0/8" });

let admin: TestPerson;
let ben: TestPerson;

const list = async (query = "", by = admin): Promise<{ items: AuditItem[]; nextCursor: string | null }> =>
  (await by.call("GET", `/api/audit${query}`)).json();
const told = ({ who, action, on, count }: AuditItem) => [who?.name ?? null, action, on, count];
const signIn = (email: string, secret: string, headers: Record<string, string> = {}) =>
  callApi("POST", "/api/auth/sign-in/email", { email, password: secret }, { ...stranger, ...headers });

beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  ben = await join(admin, "Ben");
});

test("what people do is told with who, what it was done to and from where, newest first", async () => {
  // Tests come in any order.
  const { items: before } = await list("?limit=200");
  expect(before.slice(-3).map(told)).toEqual([
    ["Ben", "signIn.joined", "member", 1],
    ["Aiko", "people.invited", "anybody, member", 1],
    ["Aiko", "signIn.joined", "admin", 1],
  ]);
  const from = { "x-meguri-peer": "10.0.0.2", "x-forwarded-for": "1.2.3.4, 203.0.113.7" };
  await admin.call("PATCH", `/api/users/${ben.id}`, { role: "admin" }, from);
  await admin.call(
    "PATCH",
    `/api/users/${ben.id}`,
    { role: "member" },
    { ...from, "x-meguri-peer": "198.51.100.1" },
  );
  const [second, first] = (await list()).items;
  expect(first).toMatchObject({
    ...{ who: { id: admin.id, name: "Aiko" }, action: "people.changed", on: "ben@example.com, admin" },
    ...{ from: "203.0.113.7", count: 1 },
  });
  expect(second).toMatchObject({ on: "ben@example.com, member", from: "198.51.100.1" });
});

test("what was refused, and what was only looked at, is not told as done", async () => {
  const { items: before } = await list();
  await ben.call("PATCH", `/api/users/${admin.id}`, { role: "member" });
  await admin.call("PATCH", `/api/users/${admin.id}`, { role: "member" });
  await admin.call("POST", "/api/mcp/servers?preview=true", { name: "x", config: { command: "x" } });
  await admin.call("GET", "/api/users");
  expect((await list()).items).toEqual(before);
});

test("nothing that somebody has written is told", async () => {
  const canary = "canary-4711";
  await ben.call("PATCH", "/api/settings", { instructions: canary });
  await admin.call("PATCH", "/api/settings", { providers: { openai: { apiKey: canary } } });
  const { items } = await list("?group=setup");
  expect(items.map(told)[0]).toEqual(["Aiko", "setup.models_changed", "providers", 1]);
  expect(JSON.stringify(await list())).not.toContain(canary);
});

test("it is for admins alone, and cannot be changed", async () => {
  for (const path of ["/api/audit", "/api/audit/file"]) {
    expect((await ben.call("GET", path)).status, path).toBe(403);
    expect((await callApi("GET", path, undefined, stranger)).status, path).toBe(401);
  }
  for (const method of ["POST", "PATCH", "DELETE"])
    expect((await admin.call(method, "/api/audit", {})).status, method).toBe(405);
});

test("guesses for one address are one row with their number, and of many addresses a bounded number is named", async () => {
  for (let at = 0; at < 3; at++) await signIn("ben@example.com", "wrong");
  for (let at = 0; at < 30; at++) {
    const body = { name: "X", email: `nobody${at}@example.com`, password, invitation: `none-${at}` };
    await callApi("POST", "/api/auth/sign-up/email", body, stranger);
  }
  await (await getDeps()).accounts?.audit.flush();
  const { items } = await list("?group=signIn&q=refused");
  const refused = items.map(told);
  expect(refused.filter(([, , on]) => on === "ben@example.com, wrong_credentials")).toEqual([
    [null, "signIn.refused", "ben@example.com, wrong_credentials", 2],
    [null, "signIn.refused", "ben@example.com, wrong_credentials", 1],
  ]);
  expect(refused.find(([, , on]) => on === null)?.[3]).toBe(11);
  expect(refused).toHaveLength(22);
});

test("it is filtered by person, kind, time and words, and read page by page", async () => {
  await signIn("ben@example.com", password);
  expect((await list(`?person=${ben.id}`)).items.every(({ who }) => who?.id === ben.id)).toBe(true);
  expect((await list(`?person=${ben.id}&group=people`)).items).toEqual([]);
  expect((await list("?q=anybody,%20m")).items.map(told)).toEqual([
    ["Aiko", "people.invited", "anybody, member", 1],
  ]);
  expect((await list("?q=%25")).items).toEqual([]);
  const all = (await list("?limit=200&days=1")).items;
  const paged: AuditItem[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await list(`?limit=2&days=1${cursor && `&cursor=${cursor}`}`);
    paged.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(paged).toEqual(all);
  const wrong = await admin.call("GET", "/api/audit?days=0");
  expect([wrong.status, (await wrong.json()).error.message]).toEqual([400, expect.stringMatching(/^days: /)]);
});

test("as a file nothing of it is a formula, and whoever deletes everything does not delete it", async () => {
  const body = {
    name: "=1+1",
    email: "mal@example.com",
    password,
    invitation: await invite(admin, "member", "mal@example.com"),
  };
  const mal = await toPerson(await callApi("POST", "/api/auth/sign-up/email", body, stranger));
  await admin.call("POST", "/api/data/delete", { confirm: "delete everything" });
  const response = await admin.call("GET", "/api/audit/file?days=1");
  const text = Buffer.from(await response.arrayBuffer()).toString();
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="meguri-audit-[\d-]+\.csv"/,
  );
  const lines = text.split("\r\n");
  expect(lines[0]).toBe("\uFEFFat,person,personId,action,on,from,count");
  expect(lines[1]).toMatch(/Z,Aiko,[^,]+,data\.deleted_everything,,,1$/);
  expect(lines[2]).toContain(`,'=1+1,${mal.id},signIn.joined,member,,1`);
  expect(lines.at(-2)).toMatch(/,signIn\.joined,admin,,1$/);
});
