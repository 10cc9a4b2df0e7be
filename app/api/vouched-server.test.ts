import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { getDeps } from "@/lib/server/entry/deps";
import { followSignIns } from "@/lib/server/runs/sign-in-answers";
import { TestBrowser, throughProvider } from "./testing/browse-provider";
import { readStream, withApplication } from "./testing/call-api";
import { atResource, clientId, clientSecret, startIdentityProvider } from "./testing/identity-provider";
import { resourceSecret, startVouchedServer } from "./testing/vouched-server";

const provider = await startIdentityProvider();
const crm = await startVouchedServer(provider.issuer);
const oauth = { grant: "id_jag" as const, clientId: atResource, clientSecret: resourceSecret };
withApplication(
  { crm: { url: crm.url, oauth }, wrong: { url: crm.url, oauth: { ...oauth, clientSecret: "another" } } },
  {
    ...{ AUTH: "accounts", TOOL_APPROVAL: "allow" },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
  },
);
afterAll(() => Promise.all([crm.close(), provider.close()]));

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Goes to the provider from a page of ours, and comes back: where to. */
async function through(browser: TestBrowser, name: string, from = "/api/auth/oidc"): Promise<string | null> {
  const claims = { name, email: `${name.toLowerCase()}@example.com`, email_verified: true };
  provider.next = { sub: `sub-${name}`, claims };
  const begun = await browser.get(from);
  const answer = await browser.get(await throughProvider(begun.headers.get("location") ?? ""));
  return answer.headers.get("location");
}

async function signedIn(name: string): Promise<TestBrowser & { id: string }> {
  const browser = new TestBrowser();
  expect(await through(browser, name)).toBe("/");
  await browser.call("PATCH", "/api/settings", { titles: "words" });
  const person = await (await getDeps()).store.accounts.byEmail(`${name.toLowerCase()}@example.com`);
  return Object.assign(browser, { id: person?.id ?? "" });
}

const get = async (person: TestBrowser, server = "crm"): Promise<McpServerItem> =>
  (await person.call("GET", `/api/mcp/servers/${server}`)).json();
const becomes = (person: TestBrowser, status: McpServerItem["status"], server = "crm") =>
  vi.waitFor(async () => expect((await get(person, server)).status).toBe(status), {
    timeout: 20_000,
    interval: 50,
  });
const errorOf = async (userId: string, server = "crm") =>
  (await getDeps()).pool.of(userId).server(server)?.lastError?.message;
/** One that has just been renewed is not renewed again: the refusal may be of the one before. */
async function endTokens(): Promise<void> {
  await wait(2_100);
  crm.expire();
}
const say = async (person: TestBrowser, who: string) =>
  readStream(
    await person.call("POST", "/api/chat", {
      message: { text: `/tool crm__look ${JSON.stringify({ who })}` },
      model: "demo/demo",
    }),
  );

beforeEach(() => {
  Object.assign(provider, { givesRefreshTokens: true, idTokenSeconds: 3_600, vouching: "allowed" });
});

beforeAll(async () => {
  const admin = new TestBrowser();
  await admin.get("/api/session?token=token-for-tests-only");
  expect(await through(admin, "Aiko")).toBe("/");
});

test("who has signed in with the provider is known to the server without a page, each as themselves", async () => {
  const [ben, cleo] = [await signedIn("Ben"), await signedIn("Cleo")];
  for (const person of [ben, cleo]) await becomes(person, "ready");
  await Promise.all([say(ben, "ben"), say(cleo, "cleo")]);
  const calls = crm.calls.filter(({ args }) => ["ben", "cleo"].includes((args as { who: string }).who));
  expect(calls.map(({ subject }) => subject).toSorted()).toEqual(["sub-Ben", "sub-Cleo"]);
  for (const { subject, args } of calls)
    expect(subject?.toLowerCase()).toBe(`sub-${(args as { who: string }).who}`);
  // What is kept is sealed, and no list shows a word of it.
  const { store, pool } = await getDeps();
  expect(await store.settings.get(ben.id, "oidc-tokens")).toMatch(/^v1\./);
  const shown = JSON.stringify([pool.of(ben.id).list(), pool.of(ben.id).logs("crm")]);
  for (const jag of crm.shown) expect(shown).not.toContain(jag);

  // A client that the server does not know is told to the admin, and asked once.
  await becomes(ben, "needs_login", "wrong");
  expect(await errorOf(ben.id, "wrong")).toContain("does not take this client");
});

test("an ID token that is over is renewed, also for two that want it at once, and each refresh token used once", async () => {
  provider.idTokenSeconds = 20;
  const dora = await signedIn("Dora");
  await becomes(dora, "ready");
  const { accounts } = await getDeps();
  const before = provider.grants.refresh_token ?? 0;
  const wanted = { audience: new URL(crm.url).origin, resource: crm.url };
  const vouching = accounts?.oidc?.vouchingOf(dora.id);
  const jags = await Promise.all([vouching?.vouch(wanted), vouching?.vouch(wanted)]);
  expect(new Set(jags).size).toBe(2);
  expect(provider.grants.refresh_token).toBe(before + 2);
  await endTokens();
  await say(dora, "dora");
  expect(crm.calls.at(-1)).toEqual({ subject: "sub-Dora", args: { who: "dora" } });
});

test("a run whose provider ends the sign-in waits for one, and goes on with it", async () => {
  onTestFinished(followSignIns(await getDeps()));
  provider.idTokenSeconds = 20;
  const emil = await signedIn("Emil");
  await becomes(emil, "ready");
  await provider.endSignIns();
  await endTokens();
  provider.idTokenSeconds = 3_600;
  const asked = await say(emil, "emil");
  expect(asked.chunks.findLast(({ type }) => type === "input_request")).toMatchObject({ reason: "login" });
  const { conversationId } = asked;
  const begun = await emil.call("POST", "/api/mcp/servers/crm/login", { conversationId });
  const { url, host } = (await begun.json()) as { url: string; host: string };
  expect(host).toBe(new URL(provider.issuer).host);
  const { pathname, search } = new URL(url);
  expect(await through(emil, "Emil", pathname + search)).toBe(`/c/${conversationId}`);
  await vi.waitFor(
    () => expect(crm.calls.at(-1)).toEqual({ subject: "sub-Emil", args: { who: "emil" } }),
    15_000,
  );
  const run = (await (await emil.call("GET", `/api/runs/${asked.runId}`)).json()) as RunItem;
  expect(run.status).not.toBe("waiting");
  const { runs } = await getDeps();
  await vi.waitFor(() => expect(runs.all()).toEqual([]), 15_000);
});

test("without a refresh token the person signs in again, and what the provider refuses is said", async () => {
  provider.givesRefreshTokens = false;
  provider.idTokenSeconds = 20;
  const fay = await signedIn("Fay");
  await becomes(fay, "needs_login");
  expect(await errorOf(fay.id)).toBe("The server asks for a sign-in.");
  Object.assign(provider, { givesRefreshTokens: true, idTokenSeconds: 3_600, vouching: "refused" });
  const asked = provider.grants[exchange];
  await through(fay, "Fay");
  await vi.waitFor(async () =>
    expect(await errorOf(fay.id)).toBe(
      "Your identity provider does not let you use this server; ask an admin.",
    ),
  );
  expect(provider.grants[exchange]).toBe(asked);
  provider.vouching = "allowed";
  await through(fay, "Fay");
  await becomes(fay, "ready");
});
