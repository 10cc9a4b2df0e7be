import type { IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "@/lib/mcp/testing/http-server";
import { TestLoginMemory } from "@/lib/mcp/testing/login-memory";
import { startPool } from "@/lib/mcp/testing/start-pool";

const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";

/** An MCP server that wants a sign-in and is its own authorization server; `metadata` changes what it says of itself. */
async function startSite(metadata: (origin: string) => object = () => ({})) {
  const tokenRequests: URLSearchParams[] = [];
  const seen: string[] = [];
  const server = await listen(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    const json = (value: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    seen.push(JSON.stringify(request.headers));
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (request.url?.startsWith("/.well-known/oauth-authorization-server"))
      return json({
        ...{ issuer: origin, authorization_endpoint: `${origin}/authorize` },
        ...{ token_endpoint: `${origin}/token`, registration_endpoint: `${origin}/register` },
        ...{ response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] },
        ...{ token_endpoint_auth_methods_supported: ["none"] },
        ...metadata(origin),
      });
    if (request.url === "/register")
      return json({ client_id: "meguri", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" });
    if (request.url === "/token") {
      tokenRequests.push(new URLSearchParams(await textOf(request)));
      return json({ access_token: `token-of-${new URL(origin).port}`, token_type: "Bearer" });
    }
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  });
  onTestFinished(() => server.close());
  return {
    url: `${new URL(server.url).origin}/mcp`,
    origin: new URL(server.url).origin,
    tokenRequests,
    seen,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

async function open(servers: Record<string, { url: string }>) {
  const started = await startPool(servers, {
    logins: { redirectUrls: [redirectUrl], memory: new TestLoginMemory() },
  });
  for (const name of Object.keys(servers)) await started.settled(name);
  const { signIns } = started.pool;
  const begin = (name: string) => signIns.begin(name, redirectUrl);
  const finish = (answer: Record<string, string>) => signIns.finish(new URLSearchParams(answer));
  return { ...started, begin, finish };
}

test("a sign-in always has PKCE with S256 and names the server that the token is for", async () => {
  const site = await startSite();
  const { begin, finish } = await open({ site });
  const { searchParams } = await begin("site");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    ...{ response_type: "code", code_challenge_method: "S256", resource: site.url },
    ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), state: expect.stringMatching(/^[\w-]{32}$/) },
  });
  await finish({ state: searchParams.get("state") ?? "", code: "a-code", iss: site.origin });
  expect(site.tokenRequests.map((sent) => Object.fromEntries(sent))).toMatchObject([
    { code: "a-code", resource: site.url, code_verifier: expect.stringMatching(/^[\w~.-]{43,128}$/) },
  ]);
});

test.each<[string, (origin: string) => object]>([
  ["another issuer", () => ({ issuer: "https://other.example" })],
  ["its own issuer with a path more", (origin) => ({ issuer: `${origin}/tenant` })],
  ["no S256", () => ({ code_challenge_methods_supported: ["plain"] })],
  ["no way by a code", () => ({ response_types_supported: ["token"] })],
])("an authorization server that says it has %s opens no page", async (_, metadata) => {
  const site = await startSite(metadata);
  const { begin } = await open({ site });
  await expect(begin("site")).rejects.toThrow();
  expect(site.tokenRequests).toEqual([]);
});

test.each<[string, (state: string, origin: string) => Record<string, string>]>([
  ["without a state", () => ({ code: "a-code" })],
  ["with an empty state", () => ({ state: "", code: "a-code" })],
  ["with a state that nobody began", (state) => ({ state: `${state.slice(1)}x`, code: "a-code" })],
])("no code is sent of an answer %s", async (_, answerOf) => {
  const site = await startSite();
  const { begin, finish } = await open({ site });
  const state = (await begin("site")).searchParams.get("state") ?? "";
  await expect(finish(answerOf(state, site.origin))).rejects.toThrow("This sign-in expired");
  expect(site.tokenRequests).toEqual([]);
});

test("no code is sent of an answer by another issuer", async () => {
  const site = await startSite();
  const { begin, finish, pool } = await open({ site });
  const state = (await begin("site")).searchParams.get("state") ?? "";
  await finish({ state, code: "a-code", iss: "https://other.example" });
  expect(site.tokenRequests).toEqual([]);
  expect(pool.server("site")).toMatchObject({ status: "needs_login", lastError: { code: "login_failed" } });
});

test("the token of one server is sent to no other, and its code goes to its own authorization server", async () => {
  const [one, other] = [await startSite(), await startSite()];
  const { begin, finish, pool } = await open({ one, other });
  const [state = "", otherState = ""] = [await begin("one"), await begin("other")].map(
    ({ searchParams }) => searchParams.get("state") ?? "",
  );
  await finish({ state, code: "code-of-one" });
  expect([one.tokenRequests.length, other.tokenRequests.length]).toEqual([1, 0]);
  await finish({ state: otherState, code: "code-of-other" });
  await pool.restart("other");
  await expect.poll(() => other.seen.join()).toContain(`token-of-${new URL(other.origin).port}`);
  expect(other.seen.join()).not.toContain(`token-of-${new URL(one.origin).port}`);
  expect(one.seen.join()).not.toContain(`token-of-${new URL(other.origin).port}`);
});
