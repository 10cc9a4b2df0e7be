import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { consent } from "@/lib/mcp/testing/consent";
import { listen, type Meddler, streamable } from "@/lib/mcp/testing/http-server";
import { startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import type { RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { followSignIns } from "@/lib/server/runs/sign-in-answers";
import { host } from "@/lib/server/testing/database-env";
import { readStream, withApplication } from "./testing/call-api";
import { readPinsOf } from "./testing/mcp-file";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { becomes, serverOf } from "./testing/servers";

/** What has reached the server with a key: the header of each message, and the arguments of calls. */
const seen: { at: string; key: string; who?: unknown }[] = [];
const recordAt =
  (at: string): Meddler =>
  ({ params }, { headers }) => {
    const key = String(headers["x-key"] ?? "");
    seen.push({ at, key, ...(params?.arguments && { who: params.arguments.who }) });
    return false;
  };
const vault = await listen(streamable(404, recordAt("vault")).answer);
const desk = await startProtectedServer();
withApplication(
  {
    vault: { url: vault.url, headers: { "X-Key": "$" + "{secret:KEY}" } },
    safe: { url: vault.url, headers: { "X-Key": "$" + "{secret:KEY}" } },
    box: { url: vault.url, headers: { "X-Key": "$" + "{secret:KEY}" } },
    astray: { url: "http://127.0.0.1:9$" + "{secret:PLACE}/mcp", headers: { "X-Key": "the operator's" } },
    desk: { url: desk.url, privateHosts: [new URL(desk.issuer).host] },
    local: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] },
  },
  { AUTH: "accounts", TOOL_APPROVAL: "allow" },
);
afterAll(async () => Promise.all([vault.close(), desk.close()]));

let admin: TestPerson;
let ben: TestPerson;
let cleo: TestPerson;

beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  for (const person of [admin, ben, cleo]) await person.call("PATCH", "/api/settings", { titles: "words" });
});

const keptOf = async ({ id }: TestPerson): Promise<object> =>
  (await (await getDeps()).store.settings.get<object>(id, "mcp-server-secrets")) ?? {};

const store = async (person: TestPerson, name: string, values: Record<string, string | null>) =>
  (await person.call("PATCH", `/api/mcp/servers/${name}/secrets`, values)).json();
const say = async (person: TestPerson, tool: string, who: string) =>
  readStream(
    await person.call("POST", "/api/chat", {
      message: { text: `/tool ${tool} ${JSON.stringify({ who })}` },
      model: "demo/demo",
    }),
  );

const redirectUrl = `http://${host}/api/mcp/oauth/callback`;

/** The address that the browser of the person comes back to. */
async function consentOf(person: TestPerson): Promise<string> {
  const begun = await person.call("POST", "/api/mcp/servers/desk/login", {});
  const { url } = await begun.json();
  const { pathname, search } = await consent(new URL(url), redirectUrl);
  return pathname + search;
}

const comeBack = async (person: TestPerson, path: string) =>
  (await person.call("GET", path)).headers.get("location");

test("each person has a key of their own at the operator's server, and a call goes with its person's", async () => {
  for (const person of [ben, cleo]) await becomes(person, "vault", "failed");
  const shown = await serverOf(ben, "vault");
  expect(shown).toMatchObject({
    scope: "user",
    secrets: [{ name: "KEY", stored: false, used: true }],
    lastError: { message: "This server needs values from you: enter them, and it connects." },
  });
  expect(JSON.stringify(shown)).not.toContain(vault.url);

  const answer = await store(ben, "vault", { KEY: "the-key-of-ben" });
  expect(answer).toMatchObject({ secrets: [{ stored: true }], config: {} });
  await becomes(ben, "vault", "ready");
  // Nobody else has come any further by it, an admin neither.
  for (const person of [cleo, admin]) {
    await becomes(person, "vault", "failed");
    expect((await serverOf(person, "vault")).secrets).toEqual([{ name: "KEY", stored: false, used: true }]);
  }
  await store(cleo, "vault", { KEY: "the-key-of-cleo" });
  await becomes(cleo, "vault", "ready");

  await Promise.all([say(ben, "vault__look", "ben"), say(cleo, "vault__look", "cleo")]);
  await Promise.all([
    ben.call("POST", "/api/mcp/servers/vault/tools/look/call", { args: { who: "ben" } }),
    cleo.call("POST", "/api/mcp/servers/vault/tools/look/call", { args: { who: "cleo" } }),
  ]);
  const calls = seen.filter(({ who }) => who !== undefined);
  expect(calls.map(({ who }) => who).toSorted()).toEqual(["ben", "ben", "cleo", "cleo"]);
  for (const { key, who } of calls) expect(key).toBe(`the-key-of-${who}`);

  // Taking one's own back leaves the other's.
  await store(ben, "vault", { KEY: null });
  await becomes(ben, "vault", "failed");
  expect((await serverOf(cleo, "vault")).status).toBe("ready");

  const key = JSON.stringify(["vault", new URL(vault.url).origin]);
  expect(await keptOf(cleo)).toMatchObject({ [key]: { KEY: expect.stringMatching(/^v1\./) } });
  await admin.call("DELETE", "/api/mcp/servers/vault");
  expect(await keptOf(cleo)).not.toHaveProperty([key]);
});

test("what a person has entered goes to no other host than the one it was entered for", async () => {
  const elsewhere = await listen(streamable(404, recordAt("elsewhere")).answer);
  onTestFinished(elsewhere.close);
  const entry = (url: string) => ({ url, headers: { "X-Key": "$" + "{secret:KEY}" } });
  const move = async (url: string) => {
    await admin.call("PATCH", "/api/mcp/servers/box", { config: entry(url) });
    const { approvalHash } = await serverOf(admin, "box");
    expect((await admin.call("POST", "/api/mcp/servers/box/approve", { hash: approvalHash })).status).toBe(
      200,
    );
  };
  await store(cleo, "box", { KEY: "the-key-for-the-vault" });
  await becomes(cleo, "box", "ready");
  // Another path of the same host is the same place.
  await move(`${vault.url}?v=2`);
  await becomes(cleo, "box", "ready");
  await move(elsewhere.url);
  await becomes(cleo, "box", "failed");
  expect(await serverOf(cleo, "box")).toMatchObject({
    secrets: [{ name: "KEY", stored: false, used: true }],
    lastError: { message: "This server needs values from you: enter them, and it connects." },
  });
  expect(elsewhere.requests).toEqual([]);

  await store(cleo, "box", { KEY: "the-key-for-elsewhere" });
  await becomes(cleo, "box", "ready");
  expect(new Set(seen.flatMap(({ at, key }) => (at === "elsewhere" ? key : [])))).toEqual(
    new Set(["the-key-for-elsewhere"]),
  );
  // Nothing is kept of what was entered for the first place.
  await move(vault.url);
  await becomes(cleo, "box", "failed");
  const kept = Object.keys(await keptOf(cleo)).filter((key) => key.includes("box"));
  expect(kept).toEqual([JSON.stringify(["box", new URL(elsewhere.url).origin])]);
  await admin.call("DELETE", "/api/mcp/servers/box");
  expect(Object.keys(await keptOf(cleo)).filter((key) => key.includes("box"))).toEqual([]);
});

test("what a person enters does not choose the host, and a secret that all share is an admin's to enter", async () => {
  await becomes(ben, "astray", "failed");
  await ben.call("PATCH", "/api/mcp/servers/astray/secrets", { PLACE: `@127.0.0.1:${vault.port}` });
  await becomes(ben, "astray", "failed");
  await ben.call("PATCH", "/api/mcp/servers/astray/secrets", { PLACE: "999" });
  await becomes(ben, "astray", "failed");
  await admin.call("PATCH", "/api/mcp/servers/astray/secrets", { PLACE: "999" });
  await vi.waitFor(async () =>
    expect((await serverOf(admin, "astray")).lastError?.message).toContain("and not in its host"),
  );
  expect(seen.some(({ key }) => key === "the operator's")).toBe(false);
  expect((await ben.call("PATCH", "/api/mcp/servers/local/secrets", { KEY: "x" })).status).toBe(403);
  expect((await ben.call("POST", "/api/mcp/servers/local/login", {})).status).toBe(403);
});

test("what the entry of a server does not ask for is not kept, and of who is deleted nothing is", async () => {
  const fay = await join(admin, "Fay");
  const patch = (values: object) => fay.call("PATCH", "/api/mcp/servers/safe/secrets", values);
  const refused = await patch({ KEY: "of-fay", OTHER: "x" });
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    "OTHER: the entry of safe does not use this secret.",
  ]);
  expect(await keptOf(fay)).toEqual({});
  expect((await patch({ KEY: "of-fay" })).status).toBe(200);
  // What was kept for an entry that has changed since can be removed.
  expect((await patch({ OTHER: null })).status).toBe(200);
  expect(await keptOf(fay)).toEqual({
    [JSON.stringify(["safe", new URL(vault.url).origin])]: { KEY: expect.stringMatching(/^v1\./) },
  });
  await becomes(fay, "safe", "ready");

  await vi.waitFor(async () => expect(await readPinsOf(fay.id)).not.toBe(""));
  expect((await admin.call("DELETE", `/api/users/${fay.id}`)).status).toBe(200);
  await vi.waitFor(async () => expect(await readPinsOf(fay.id)).toBe(""));
  expect(await keptOf(fay)).toEqual({});
});

test("each person signs in for themselves, a member too, and a call goes with its person's token", async () => {
  const [dora, emil] = [await join(admin, "Dora"), await join(admin, "Emil")];
  for (const person of [dora, emil]) await person.call("PATCH", "/api/settings", { titles: "words" });
  for (const person of [dora, emil]) await becomes(person, "desk", "needs_login");
  const back = await consentOf(dora);
  // In the browser of somebody else it is nobody's.
  expect(await comeBack(emil, back)).toBe("/settings/mcp?signIn=failed");
  // Meanwhile her connections were let go, as after a restart.
  await (await getDeps()).pool.drop(dora.id);
  expect(await comeBack(dora, back)).toBe("/settings/mcp/desk");
  await becomes(dora, "desk", "ready");
  expect((await serverOf(emil, "desk")).login).toMatchObject({ signedIn: false });
  expect((await serverOf(admin, "desk")).login).toMatchObject({ signedIn: false });
  expect(await comeBack(emil, await consentOf(emil))).toBe("/settings/mcp/desk");
  await becomes(emil, "desk", "ready");

  await Promise.all([say(dora, "desk__look", "dora"), say(emil, "desk__look", "emil")]);
  await Promise.all([say(dora, "desk__look", "dora"), say(emil, "desk__look", "emil")]);
  const tokens = new Map<unknown, Set<string>>();
  for (const { token, args } of desk.calls)
    tokens.set(args.who, (tokens.get(args.who) ?? new Set()).add(token));
  const [ofDora, ofEmil] = ["dora", "emil"].map((who) => [...(tokens.get(who) ?? [])]);
  expect([ofDora?.length, ofEmil?.length]).toEqual([1, 1]);
  expect(ofDora).not.toEqual(ofEmil);

  await dora.call("POST", "/api/mcp/servers/desk/logout", {});
  await becomes(dora, "desk", "needs_login");
  expect((await serverOf(emil, "desk")).status).toBe("ready");
  expect(await comeBack(dora, await consentOf(dora))).toBe("/settings/mcp/desk");
  await becomes(dora, "desk", "ready");

  // A call that waits for a sign-in goes on with that of its person.
  onTestFinished(followSignIns(await getDeps()));
  await desk.endLogins();
  desk.calls.splice(0);
  const asked = await say(dora, "desk__look", "dora");
  expect(asked.chunks.findLast(({ type }) => type === "input_request")).toMatchObject({ reason: "login" });
  const run = async (): Promise<RunItem> => (await dora.call("GET", `/api/runs/${asked.runId}`)).json();

  expect((await say(emil, "desk__look", "emil")).status).toBe("waiting");
  expect(await comeBack(emil, await consentOf(emil))).toBe("/settings/mcp/desk");
  await vi.waitFor(() => expect(desk.calls.map(({ args }) => args.who)).toEqual(["emil"]), 15_000);
  expect((await run()).status).toBe("waiting");

  expect(await comeBack(dora, await consentOf(dora))).toBe("/settings/mcp/desk");
  await vi.waitFor(() => expect(desk.calls.map(({ args }) => args.who)).toEqual(["emil", "dora"]), 15_000);
  expect(new Set(desk.calls.map(({ token }) => token)).size).toBe(2);

  // Who is disabled has no connection any more, and a server that is removed leaves nothing of anybody's.
  expect((await admin.call("PATCH", `/api/users/${dora.id}`, { disabled: true })).status).toBe(200);
  const { store: kept, pool } = await getDeps();
  expect(pool.signIns.done().map(({ person }) => person)).toEqual([emil.id]);
  expect(await kept.settings.owners("mcp-login:desk")).toEqual(expect.arrayContaining([dora.id, emil.id]));
  const sealed = await kept.settings.get<string>(dora.id, "mcp-login:desk");
  expect(sealed).toMatch(/^v1\./);
  await admin.call("DELETE", "/api/mcp/servers/desk");
  await vi.waitFor(async () => expect(await kept.settings.owners("mcp-login:desk")).toEqual([]));
}, 120_000);
