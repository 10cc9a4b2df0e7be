import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auth, createMCPClient, type OAuthClientProvider } from "@ai-sdk/mcp";
import { auth as sdkAuth, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi } from "./testing/call-api";
import { ask, origin, withGateway } from "./testing/mcp-client";

const everything = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
};
withGateway({ fixture: everything, other: everything });

const redirectUri = "http://127.0.0.1:7777/callback";
const verifier = "v".repeat(43);
const challenge = createHash("sha256").update(verifier).digest("base64url");

const register = async (uris = [redirectUri], more: Record<string, unknown> = {}) => {
  const answer = await fetch(`${origin}/api/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: uris, client_name: "An editor", ...more }),
  });
  return { status: answer.status, body: await answer.json() };
};

const queryOf = (clientId: string, more: Record<string, string> = {}) =>
  new URLSearchParams({
    ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s1" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", resource: `${origin}/mcp` },
    ...more,
  }).toString();

/** The person at the page, who says yes unless told. */
const say = async (request: string, more: Record<string, unknown> = {}) => {
  const answer = await ask("POST", "/api/oauth/authorize", {
    request,
    allow: true,
    servers: ["fixture"],
    ...more,
  });
  if (answer.status !== 200) return { status: answer.status, query: new URLSearchParams() };
  const { location } = (await answer.json()) as { location: string };
  return { status: 200, location, query: new URL(location).searchParams };
};

const exchange = async (fields: Record<string, string>) => {
  const answer = await fetch(`${origin}/api/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  return { status: answer.status, body: await answer.json() };
};

/** A program that was let in; one that registers unless it is named. */
async function letIn(known?: string) {
  const clientId: string = known ?? (await register()).body.client_id;
  const code = (await say(queryOf(clientId))).query.get("code") ?? "";
  const base = { client_id: clientId, resource: `${origin}/mcp` };
  const byCode = { ...base, grant_type: "authorization_code", code, code_verifier: verifier };
  const refresh = (token: string) => exchange({ ...base, grant_type: "refresh_token", refresh_token: token });
  return { clientId, code, byCode, refresh };
}

const opens = async (token: string) =>
  (
    await fetch(`${origin}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(ping),
    })
  ).status;
const ping = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};
const list = async (): Promise<ApiTokenItem[]> => (await (await ask("GET", "/api/tokens")).json()).items;

/** A program that keeps what it is given, and whose browser is the person of the test. */
function provider(name: string) {
  const kept: Record<string, unknown> = {};
  const its = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: name, redirect_uris: [redirectUri] },
    state: () => "st",
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: unknown) => {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      kept.page = url;
    },
    saveCodeVerifier: (text: string) => {
      kept.verifier = text;
    },
    codeVerifier: () => kept.verifier as string,
    validateResourceURL: undefined,
  };
  const code = async () => {
    const page = kept.page as URL;
    expect(page.origin + page.pathname).toBe(`${origin}/authorize`);
    return (await say(page.search)).query.get("code") ?? "";
  };
  return { its, code, kept };
}

test("the SDK's client finds its way in by itself, and its token is one as every other", async () => {
  const { its, code, kept } = provider("A real client");
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: its as never });
  const first = open();
  const client = new Client({ name: "sdk", version: "1" });
  await expect(client.connect(first as Parameters<Client["connect"]>[0])).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(await code());
  const again = new Client({ name: "sdk", version: "1" });
  onTestFinished(() => again.close());
  await again.connect(open() as Parameters<Client["connect"]>[0]);
  const { tools } = await again.listTools();
  expect(tools.length).toBeGreaterThan(0);
  expect(tools.every(({ name }) => name.startsWith("fixture__"))).toBe(true);
  const item = (await list()).find(({ name }) => name === "A real client");
  expect(item).toMatchObject({ scopes: ["mcp"], servers: ["fixture"], onApproval: "wait" });
  expect(Date.parse(item?.expiresAt ?? "")).toBeGreaterThan(Date.now() + 80 * 24 * 3_600_000);
  const before = kept.tokens as { access_token: string };
  expect(await sdkAuth(its as never, { serverUrl: `${origin}/mcp` })).toBe("AUTHORIZED");
  const after = kept.tokens as { access_token: string };
  expect(after.access_token).not.toBe(before.access_token);
  expect([await opens(before.access_token), await opens(after.access_token)]).toEqual([401, 200]);
  expect((await list()).filter(({ name }) => name === "A real client")).toHaveLength(1);
  expect((await ask("DELETE", `/api/tokens/${item?.id}`)).status).toBe(200);
  expect(await opens(after.access_token)).toBe(401);
  expect(await sdkAuth(its as never, { serverUrl: `${origin}/mcp` }).catch(String)).not.toBe("AUTHORIZED");
});

test("so does the client of the AI SDK", async () => {
  const { its, code } = provider("Another client");
  const asProvider = its as unknown as OAuthClientProvider;
  expect(await auth(asProvider, { serverUrl: new URL(`${origin}/mcp`) })).toBe("REDIRECT");
  const given = { serverUrl: new URL(`${origin}/mcp`), authorizationCode: await code(), callbackState: "st" };
  expect(await auth(asProvider, given)).toBe("AUTHORIZED");
  const transport = { type: "http" as const, url: `${origin}/mcp`, authProvider: asProvider };
  const client = await createMCPClient({ transport });
  onTestFinished(() => client.close());
  expect(Object.keys(await client.tools()).length).toBeGreaterThan(0);
});

/** Elsewhere it would open a window. */
test.runIf(process.platform === "linux")(
  "so does mcp-remote, for a client that speaks over stdio alone",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "meguri-mcp-remote-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const client = new Client({ name: "an-editor", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ["node_modules/mcp-remote/dist/proxy.js", `${origin}/mcp`],
      env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder, BROWSER: "true" },
      stderr: "pipe",
    });
    let told = "";
    const page = new Promise<URL>((resolve) => {
      transport.stderr?.on("data", (piece: Buffer) => {
        told += piece.toString();
        const found = /visiting:\s+(\S+)\s/.exec(told)?.[1];
        if (found) resolve(new URL(found));
      });
    });
    const connected = client.connect(transport);
    onTestFinished(() => client.close());
    const { location } = await say((await page).search);
    expect((await fetch(location ?? "")).status).toBe(200);
    await connected;
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.every(({ name }) => name.startsWith("fixture__"))).toBe(true);
  },
);

test("an answer without a token says where a client begins, under the name that it asked by", async () => {
  const answer = await fetch(`${origin}/mcp`, { method: "POST" });
  const where = /resource_metadata="([^"]+)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1] ?? "";
  const resource = await (await fetch(where)).json();
  expect(resource).toMatchObject({ resource: `${origin}/mcp`, authorization_servers: [origin] });
  const server = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
  expect(server).toMatchObject({ issuer: origin, code_challenge_methods_supported: ["S256"] });
  const other = origin.replace("127.0.0.1", "localhost");
  const named = await callApi("GET", "/api/oauth/resource", undefined, { host: new URL(other).host });
  expect(await named.json()).toMatchObject({ resource: `${other}/mcp`, authorization_servers: [other] });
  const foreign = await callApi("GET", "/api/oauth/resource", undefined, { host: "evil.example" });
  expect(foreign.status).toBe(403);
});

test("a code counts once: who brings it a second time ends what came of it", async () => {
  const { byCode } = await letIn();
  const given = await exchange(byCode);
  expect(given).toMatchObject({
    status: 200,
    body: { token_type: "Bearer", expires_in: 3600, scope: "mcp" },
  });
  expect(await opens(given.body.access_token)).toBe(200);
  expect(await exchange(byCode)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  expect(await opens(given.body.access_token)).toBe(401);
});

test("a program that is let in again has what it is given last, and others keep theirs", async () => {
  const [first, other] = [await letIn(), await letIn()];
  const before = (await exchange(first.byCode)).body;
  const others = (await exchange(other.byCode)).body;
  const after = (await exchange((await letIn(first.clientId)).byCode)).body;
  const tokens = [before, others, after].map(({ access_token: token }) => token);
  expect(await Promise.all(tokens.map(opens))).toEqual([401, 200, 200]);
  expect((await first.refresh(before.refresh_token)).body.error).toBe("invalid_grant");
});

test("of two who bring a code at once one at most has something of it", async () => {
  const { byCode } = await letIn();
  const given = await Promise.all([exchange(byCode), exchange(byCode), exchange(byCode)]);
  expect(given.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  for (const { body } of given) if (body.access_token) expect(await opens(body.access_token)).toBe(401);
});

test("a code is nothing without its verifier, to another client, with another address, for another resource, or late", async () => {
  const other = (await register()).body.client_id;
  const refusals: [Record<string, string>, string][] = [
    [{ code_verifier: "w".repeat(43) }, "invalid_grant"],
    [{ code_verifier: "" }, "invalid_grant"],
    [{ redirect_uri: "http://127.0.0.1:7777/elsewhere" }, "invalid_grant"],
    [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
    [{ client_id: "mgc_W10.x" }, "invalid_client"],
    [{ client_id: `${other}x` }, "invalid_client"],
    [{ code: "x.y" }, "invalid_grant"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
  ];
  for (const [more, error] of refusals) {
    const { byCode } = await letIn();
    expect((await exchange({ ...byCode, ...more })).body, JSON.stringify(more)).toMatchObject({ error });
  }
  const { body } = await register(["https://other.example/cb"]);
  const { byCode } = await letIn();
  expect((await exchange({ ...byCode, client_id: body.client_id })).body.error).toBe("invalid_grant");
  expect((await exchange(byCode)).body.error).toBe("invalid_grant");
  const late = await letIn();
  const { store } = await getDeps();
  const [id = ""] = late.code.split(".");
  const row = await store.tokens.byId(id);
  if (!row?.grant) throw new Error("There is no row of the code.");
  await store.tokens.renew(id, row.tokenHash, { ...row, grant: row.grant, expiresAt: Date.now() - 1 });
  expect((await exchange(late.byCode)).body.error).toBe("invalid_grant");
});

test("a refresh token counts once: who brings one again ends the program's access", async () => {
  const { byCode, refresh } = await letIn();
  const first = (await exchange(byCode)).body;
  const second = (await refresh(first.refresh_token)).body;
  expect([await opens(first.access_token), await opens(second.access_token)]).toEqual([401, 200]);
  expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  expect(await opens(second.access_token)).toBe(401);
  expect((await refresh(second.refresh_token)).body.error).toBe("invalid_grant");
  const { byCode: theirs } = await letIn();
  const alive = (await exchange(theirs)).body;
  expect((await refresh(alive.refresh_token)).body.error).toBe("invalid_grant");
  // What is no refresh token of this program ends nothing.
  expect((await refresh(`${alive.refresh_token.split(".")[0]}.x.y`)).body.error).toBe("invalid_grant");
  expect(await opens(alive.access_token)).toBe(200);
  expect(await opens(alive.refresh_token)).toBe(401);
});

test("the answer goes to addresses that were registered alone, with any port on this machine", async () => {
  const { body } = await register([redirectUri, "https://app.example/cb", "cursor://anysphere/oauth"]);
  const to = async (redirect_uri: string) => (await say(queryOf(body.client_id, { redirect_uri }))).status;
  for (const fits of [
    redirectUri,
    "http://127.0.0.1:1/callback",
    "https://app.example/cb",
    "cursor://anysphere/oauth",
  ])
    expect(await to(fits), fits).toBe(200);
  for (const foreign of [
    "https://app.example/cb/",
    "https://app.example/cb?x=1",
    "https://app.example:8443/cb",
    "https://evil.example/cb",
    "http://localhost:7777/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1/callback/..%2f",
    "http://u@127.0.0.1/callback",
    "cursor://anysphere/oauth2",
    "javascript:alert(1)",
  ])
    expect(await to(foreign), foreign).toBe(400);
  for (const wrong of [
    "javascript:alert(1)",
    "javascript://a.example/%0aalert(1)",
    "intent://a.example",
    "data:text/html,x",
    "http://a.example/cb",
    "https://a.example/#x",
    "x",
    "about:blank",
    "file:///etc/passwd",
    "https://u:p@a.example/",
  ])
    expect(await register([wrong]), wrong).toMatchObject({
      status: 400,
      body: { error: "invalid_redirect_uri" },
    });
});

test("a request without proof, for another resource or of nobody known leads nowhere", async () => {
  const { body } = await register();
  for (const more of [
    { code_challenge_method: "plain" },
    { code_challenge: "" },
    { response_type: "token" },
    { resource: "https://elsewhere.example/mcp" },
    { client_id: "mgc_x.y" },
  ])
    expect((await say(queryOf(body.client_id, more))).status, JSON.stringify(more)).toBe(400);
  const refused = await say(queryOf(body.client_id), { allow: false });
  expect(Object.fromEntries(refused.query)).toEqual({ error: "access_denied", state: "s1", iss: origin });
  expect((await list()).filter(({ start }) => start === "mgr_")).toEqual([]);
});

test("nobody but a person with a session says yes, and no page of another site", async () => {
  const { body } = await register();
  const yes = { request: queryOf(body.client_id), allow: true };
  const made = await (
    await ask("POST", "/api/tokens", { name: "x", scopes: ["admin"], expiresAt: null })
  ).json();
  expect((await ask("POST", "/api/oauth/authorize", yes, made.value)).status).toBe(403);
  expect((await ask("POST", "/api/oauth/authorize", yes, "wrong")).status).toBe(401);
  const crossSite = await fetch(`${origin}/api/oauth/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: "https://evil.example", cookie: "x=y" },
    body: JSON.stringify(yes),
  });
  expect([401, 403]).toContain(crossSite.status);
});

test("what is too much, or no form, is refused as OAuth clients know it", async () => {
  const long = `https://a.example/${"x".repeat(1_500)}`;
  expect((await register([long])).body).toMatchObject({ error: "invalid_redirect_uri" });
  expect((await register([], {})).body).toMatchObject({ error: "invalid_request" });
  expect((await register([redirectUri], { logo_uri: "x".repeat(20_000) })).status).toBe(413);
  const { byCode } = await letIn();
  for (const more of [{ code: "\0.x" }, { grant_type: "refresh_token", refresh_token: "mgrr_\0.x.y" }])
    expect(await exchange({ ...byCode, ...more })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  const answer = await fetch(`${origin}/api/oauth/token`, { method: "POST", body: "{}" });
  expect([answer.status, (await answer.json()).error]).toEqual([415, "invalid_request"]);
  const twice = await fetch(`${origin}/api/oauth/token`, {
    method: "POST",
    body: new URLSearchParams([
      ["grant_type", "a"],
      ["grant_type", "b"],
    ]),
  });
  expect(await twice.json()).toMatchObject({
    error: "invalid_request",
    error_description: expect.stringContaining("grant_type"),
  });
});
