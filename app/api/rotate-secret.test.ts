import { once } from "node:events";
import { globSync, readFileSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { VouchedTokens } from "@/lib/server/accounts/vouched-tokens";
import { getDeps } from "@/lib/server/entry/deps";
import { sealAgain } from "@/lib/server/entry/rotate-secret";
import { keepNext } from "@/lib/server/secrets";
import { loginsOf, openLogins } from "@/lib/server/servers/logins";
import { ServerSecrets } from "@/lib/server/servers/server-secrets";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { askStored } from "@/lib/server/testing/stored-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";
import { runCommand, startCommand } from "./testing/run-command";

withApplication({ plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } });

const dataDir = () => process.env.DATA_DIR ?? "";
const secretsFile = () => join(dataDir(), "secrets.json");
const kept = () => JSON.parse(readFileSync(secretsFile(), "utf8")) as Record<string, string>;
const own = { authorization: "", origin: "http://127.0.0.1:3999" };
const rotate = (env: Record<string, string | undefined> = {}) => runCommand("rotate-secret.ts", [], env);

async function end(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
}

interface Made {
  cookie: string;
  token: string;
}

/** One of everything that hangs on the secret. */
async function make(): Promise<Made> {
  const key = { apiKey: "g-key-1234" };
  const endpoint = {
    id: "lab",
    name: "Lab",
    baseURL: "http://127.0.0.1:9/v1",
    api: "chat",
    apiKey: "sk-lab-4321",
  };
  await callApi("PATCH", "/api/settings", { providers: { google: key }, endpoints: [endpoint] });
  for (const { id } of (await (await callApi("GET", "/api/hooks")).json()).items)
    await callApi("DELETE", `/api/hooks/${id}`);
  await callApi("POST", "/api/hooks", { url: "https://hooks.example/", events: ["run.failed"] });
  const deps = await getDeps();
  await deps.serverSecrets.change("plain", { API_TOKEN: "a-token-of-a-server" });
  await openLogins(deps).memory.update("crm", () => ({ url: "https://crm.example/", wantedScope: "read" }));
  // What a person has entered for themselves is sealed with whose it is.
  await new ServerSecrets(deps, "somebody", new Map()).change("crm", { API_TOKEN: "their-token" });
  await loginsOf(deps, "somebody").update("crm", () => ({
    url: "https://crm.example/",
    wantedScope: "write",
  }));
  await vouched(deps).keep("somebody", { ...providerTokens, until: Date.now() + 3_600_000 });
  const answer = await callApi("GET", "/api/session?token=token-for-tests-only", undefined, own);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { conversationId } = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "count to 1" }, model: "demo/demo" }),
  );
  const { token } = await (await callApi("POST", `/api/conversations/${conversationId}/shares`, {})).json();
  return { cookie, token };
}

const providerTokens = { subject: "sub", idToken: "an-id-token" };
/** It asks nobody: the token in exchange is the one that is kept. */
const vouched = (deps: Awaited<ReturnType<typeof getDeps>>) =>
  new VouchedTokens(deps, { exchange: async ({ idToken }) => idToken, refresh: async (tokens) => tokens });

/** Whether all that is sealed can be read. */
async function readable(): Promise<unknown[]> {
  const { providers, endpoints } = await (await callApi("GET", "/api/settings")).json();
  const deps = await getDeps();
  return [
    providers.find(({ id }: { id: string }) => id === "google").keyEnd,
    endpoints.find(({ id }: { id: string }) => id === "lab").keyEnd,
    deps.serverSecrets.get("plain", "API_TOKEN"),
    (await openLogins(deps).memory.get("crm"))?.wantedScope,
    (await ServerSecrets.open(deps, "somebody")).get("crm", "API_TOKEN"),
    (await loginsOf(deps, "somebody").get("crm"))?.wantedScope,
    await vouched(deps).vouch("somebody", { audience: "", resource: "" }),
    (await (await callApi("GET", "/api/hooks")).json()).items[0]?.url,
  ];
}
const all = [
  ...["1234", "4321", "a-token-of-a-server", "read", "their-token", "write", "an-id-token"],
  "https://hooks.example/",
];

const link = async (token: string) => (await callApi("GET", `/api/share/${token}`, undefined, own)).status;
const signedIn = async (cookie: string) =>
  (await callApi("GET", "/api/conversations", undefined, { authorization: "", cookie })).status;

/** Every text that looks sealed, in all settings. */
async function sealed(): Promise<string[]> {
  const rows = await askStored("select value from setting");
  return rows.flatMap(({ value }) => String(value).match(/v1(\.[\w-]{16,}){2}\.[\w-]*/g) ?? []);
}

const isInFolder = "It is about secrets of a folder; postgres-start.test.ts changes one without.";

beforeEach(async () => {
  await getDeps();
});

test("a generated secret gives way to a new one, and all that was sealed is sealed again", async (context) => {
  onSqlite(context, isInFolder);
  const { cookie, token } = await make();
  expect([await signedIn(cookie), await link(token)]).toEqual([200, 200]);
  expect(await rotate()).toEqual({
    code: 1,
    said: expect.stringMatching(/is in use by process \d+; stop it/),
  });
  await end();
  const [before, secrets] = [await sealed(), kept()];
  // The proof, a key, an endpoint, a hook; a secret of a server and a sign-in, of everybody and of a person; what a provider gave.
  expect(before).toHaveLength(9);
  expect(await rotate()).toEqual({
    code: 0,
    said: expect.stringMatching(
      /sign in again\. LAUNCH_TOKEN stays as it is\.\nBackups that were made before need the former secret.*\nShared links have new addresses \(\d of them.*the former ones are over/,
    ),
  });
  expect(kept()).toEqual({
    appSecret: expect.stringMatching(/^[\w-]{43}$/),
    launchToken: secrets.launchToken,
  });
  expect(kept().appSecret).not.toBe(secrets.appSecret);
  expect(statSync(secretsFile()).mode & 0o777).toBe(0o600);
  const after = await sealed();
  expect(after).toHaveLength(9);
  expect(after.filter((text) => before.includes(text))).toEqual([]);
  expect(await readable()).toEqual(all);
  expect([await signedIn(cookie), await link(token)]).toEqual([401, 410]);
  const { items } = await (await callApi("GET", "/api/shares")).json();
  expect(await link(items[0].url.split("/").at(-1))).toBe(200);
}, 120_000);

test("a secret of the environment gives way to NEW_APP_SECRET, and is told what to do next", async (context) => {
  onSqlite(context, isInFolder);
  await make();
  await end();
  // The data is brought under a secret of the environment first, by hand.
  const [from, to] = ["the former one".repeat(3), "the next one".repeat(3)];
  const current = kept().appSecret ?? "";
  const { store } = await getDeps();
  await sealAgain(store, current, from);
  await end();
  expect(await rotate({ APP_SECRET: from })).toEqual({
    code: 1,
    said: expect.stringMatching(/^APP_SECRET is set: set NEW_APP_SECRET/),
  });
  expect(await rotate({ NEW_APP_SECRET: to })).toEqual({
    code: 1,
    said: expect.stringMatching(/^NEW_APP_SECRET takes the place/),
  });
  expect(await rotate({ APP_SECRET: "a wrong one".repeat(4), NEW_APP_SECRET: to })).toEqual({
    code: 1,
    said: expect.stringMatching(/is not the one that the stored data was written with/),
  });
  const both = { APP_SECRET: from, NEW_APP_SECRET: to };
  const next = /Set APP_SECRET to the value of NEW_APP_SECRET now/;
  expect(await rotate(both)).toEqual({ code: 0, said: expect.stringMatching(next) });
  expect(await rotate(both)).toEqual({ code: 0, said: expect.stringMatching(/in use already/) });
  process.env.APP_SECRET = to;
  expect(await readable()).toEqual(all);
  await sealAgain((await getDeps()).store, to, current);
  await end();
  delete process.env.APP_SECRET;
}, 200_000);

test("where it dies before anything is sealed again the former secret stays, and where it dies after it the new one counts", async (context) => {
  onSqlite(context, isInFolder);
  await make();
  await end();
  const former = kept().appSecret;
  keepNext(dataDir(), "n".repeat(43));
  expect(await readable()).toEqual(all);
  expect(kept()).toEqual({ appSecret: former, launchToken: expect.any(String) });

  const { store } = await getDeps();
  const from = keepNext(dataDir(), "m".repeat(43));
  await sealAgain(store, from, "m".repeat(43));
  await end();
  expect(await readable()).toEqual(all);
  expect(kept()).toEqual({ appSecret: "m".repeat(43), launchToken: expect.any(String) });
});

test("kill -9 as soon as the file has both secrets loses nothing", async (context) => {
  onSqlite(context, isInFolder);
  await make();
  await end();
  const child = startCommand("rotate-secret.ts", [], {});
  const watcher = watch(dirname(secretsFile()), () => {
    if (kept().nextAppSecret !== undefined) child.kill("SIGKILL");
  });
  const [, signal] = await once(child, "close");
  watcher.close();
  expect(signal).toBe("SIGKILL");
  expect(await readable()).toEqual(all);
  expect(kept().nextAppSecret).toBeUndefined();
});

test("with a secret that was in use before, links have the addresses from then and open", async (context) => {
  onSqlite(context, isInFolder);
  const { token } = await make();
  const { store } = await getDeps();
  const { appSecret = "" } = kept();
  await sealAgain(store, appSecret, "another secret of the same kind");
  expect(await link(token)).toBe(410);
  await sealAgain(store, "another secret of the same kind", appSecret);
  expect(await link(token)).toBe(200);
});

test("whoever seals something is known to the change of the secret", () => {
  const sealing = globSync("lib/**/*.ts").filter(
    (file) => !file.includes(".test.") && /\bseal\(/.test(readFileSync(file, "utf8")),
  );
  expect(sealing.toSorted()).toEqual([
    // A cookie of ten minutes, which is in no database.
    "lib/server/accounts/pending-sign-in.ts",
    "lib/server/accounts/vouched-tokens.ts",
    "lib/server/hooks/stored-hooks.ts",
    "lib/server/seal.ts",
    "lib/server/secrets.ts",
    "lib/server/servers/logins.ts",
    "lib/server/servers/own-entries.ts",
    "lib/server/servers/server-secrets.ts",
    "lib/server/settings/endpoints.ts",
    "lib/server/settings/provider-access.ts",
  ]);
});
