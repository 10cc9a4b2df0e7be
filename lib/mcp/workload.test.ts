import { afterEach, expect, test } from "vitest";
import { type HttpServer, listen, streamable } from "./testing/http-server";
import { TestLoginMemory } from "./testing/login-memory";
import { openPool, textOf } from "./testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An MCP server with its authorization server, which accepts the assertion "workload" and no other grant. */
async function guarded() {
  const mcp = streamable();
  const asked: Record<string, string>[] = [];
  const server: HttpServer = await listen(async (request, response) => {
    const origin = new URL(server.url).origin;
    const json = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    const [path] = (request.url ?? "").split("?");
    if (path === "/.well-known/oauth-protected-resource/mcp")
      return json(200, { resource: server.url, authorization_servers: [origin] });
    if (path === "/.well-known/oauth-authorization-server")
      return json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ["code"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (path === "/token") {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const form = Object.fromEntries(new URLSearchParams(String(Buffer.concat(parts))));
      asked.push(form);
      return form.assertion === "workload"
        ? json(200, { access_token: "granted", token_type: "Bearer" })
        : json(400, { error: "invalid_grant" });
    }
    if (path !== "/mcp") return json(404, {});
    if (request.headers.authorization === "Bearer granted") return mcp.answer(request, response);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return json(401, {}, { "www-authenticate": `Bearer resource_metadata="${metadata}"` });
  });
  closing.push(server.close);
  return { url: server.url, asked };
}

async function connect(url: string, assertion: string) {
  const oauth = { grant: "jwt_bearer" as const, clientId: "meguri-ci", assertion };
  const pool = await openPool(
    { remote: { url, oauth } },
    { logins: { redirectUrls: ["http://127.0.0.1:3000/callback"], memory: new TestLoginMemory() } },
  );
  closing.push(pool.close);
  return pool;
}

test("a workload shows its assertion and needs no person", async () => {
  const { url, asked } = await guarded();
  const { ready, run, pool } = await connect(url, "workload");
  await ready("remote");
  expect(textOf((await run("remote__echo")).result)).toBe("over HTTP");
  expect(asked).toEqual([
    expect.objectContaining({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "workload",
      client_id: "meguri-ci",
    }),
  ]);
  expect(JSON.stringify(pool.list())).not.toContain("workload");
});

test("an assertion that is refused is shown once, and no other grant is tried", async () => {
  const { url, asked } = await guarded();
  const { until, pool } = await connect(url, "expired-assertion");
  await until(() => pool.server("remote")?.status === "needs_login");
  expect(pool.server("remote")?.lastError?.message).toBe(
    "The authorization server does not take the assertion of this workload.",
  );
  expect(asked).toHaveLength(1);
});
