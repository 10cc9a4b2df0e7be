import type { RequestListener } from "node:http";
import { buildConnector } from "undici";
import { afterEach, expect, test } from "vitest";
import { insidePlaces, names, refusedLoginPages } from "@/docs/corpus/ssrf";
import { listen } from "./testing/http-server";
import { TestLoginMemory } from "./testing/login-memory";
import { openPool, type TestPool } from "./testing/test-pool";

const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000, interval: 10 }).toBe(true);

/** Connects to the test's own servers on loopback, and records every other address without connecting. */
function recorder(own: readonly number[]) {
  const dialled: string[] = [];
  const dial = buildConnector({ timeout: 5_000 });
  const connect: buildConnector.connector = (target, callback) => {
    if (target.hostname === "127.0.0.1" && own.includes(Number(target.port))) return dial(target, callback);
    dialled.push(`${target.hostname}:${target.port}`);
    callback(new Error("Recorded, not dialled."), null);
  };
  return { dialled, guard: { connect, lookup: async (host: string) => names[host] ?? [] } };
}

interface Site {
  /** Value of `WWW-Authenticate`. */
  challenge?: (origin: string) => string;
  resource?: (origin: string) => object;
  authorization?: (origin: string) => object;
  meddle?: RequestListener;
}

/** An MCP server that wants a sign-in, and its authorization server, at one address unless told. */
async function startSite(
  { challenge, resource, authorization, meddle }: Site,
  more: readonly number[] = [],
  host = "127.0.0.1",
) {
  const server = await listen((request, response) => {
    const origin = `http://${request.headers.host}`;
    const json = (value: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    meddle?.(request, response);
    if (response.headersSent) return;
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin], ...resource?.(origin) });
    if (request.url?.startsWith("/.well-known/oauth-authorization-server"))
      return json({
        ...{ issuer: origin, authorization_endpoint: `${origin}/authorize` },
        ...{ token_endpoint: `${origin}/token`, registration_endpoint: `${origin}/register` },
        ...{ response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] },
        ...{ token_endpoint_auth_methods_supported: ["none"] },
        ...authorization?.(origin),
      });
    if (request.url === "/register")
      return json({ client_id: "meguri", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" });
    response.writeHead(401, { "www-authenticate": challenge?.(origin) ?? "Bearer" }).end();
  });
  closing.push(server.close);
  const { dialled, guard } = recorder([server.port, ...more]);
  const pool: TestPool = await openPool(
    { site: { url: server.url.replace("127.0.0.1", host) } },
    {
      tuning: { guard },
      logins: { redirectUrls: [redirectUrl], memory: new TestLoginMemory() },
    },
  );
  closing.push(pool.close);
  await pool.settled("site");
  return { ...pool, server, dialled, login: () => pool.pool.signIns.begin("site", redirectUrl) };
}

test("an address that is nobody's is not dialled, nor is one that an older transport is sent to", async () => {
  const { dialled, guard } = recorder([]);
  const stream = await listen((request, response) => {
    if (request.method !== "GET") return response.writeHead(405).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: endpoint\ndata: http://169.254.169.254/messages\n\n");
  });
  closing.push(stream.close);
  const own = recorder([stream.port]);
  const pool = await openPool(
    {
      metadata: { url: "http://169.254.169.254/mcp" },
      decimal: { url: "http://2852039166/mcp" },
      multicast: { url: "http://224.0.0.1/mcp" },
    },
    { tuning: { guard } },
  );
  closing.push(pool.close);
  for (const name of ["metadata", "decimal", "multicast"])
    expect(await pool.settled(name), name).toMatchObject({
      status: "failed",
      lastError: { code: "forbidden_address" },
    });
  expect(dialled).toEqual([]);
  const older = await openPool(
    { stream: { type: "sse", url: stream.url } },
    { tuning: { guard: own.guard, timeoutMs: 2_000 } },
  );
  closing.push(older.close);
  expect((await older.settled("stream")).status).toBe("failed");
  expect(own.dialled).toEqual([]);
});

test("a name that was public when its server was approved is not dialled as a private address, also after a restart", async () => {
  const { dialled, guard } = recorder([]);
  const addresses = new Map([
    ["moves.example", "93.184.216.34"],
    ["intranet.example", "10.0.0.7"],
  ]);
  const lookup = async (host: string) => [addresses.get(host)].flatMap((address) => address ?? []);
  const tuning = { guard: { ...guard, lookup } };
  const servers = {
    moves: { url: "https://moves.example/mcp" },
    intranet: { url: "http://intranet.example:8080/mcp" },
  };
  const first = await openPool(servers, { tuning });
  await until(() => dialled.includes("10.0.0.7:8080") && dialled.includes("93.184.216.34:443"));
  addresses.set("moves.example", "10.0.0.5");
  await first.pool.restart("moves");
  const refused = { status: "failed", lastError: { code: "forbidden_address" } };
  expect(await first.settled("moves")).toMatchObject(refused);
  await first.pool.close();

  dialled.length = 0;
  const second = await openPool(
    {},
    { tuning, folder: first.folder, trustFile: false, approved: first.approvals },
  );
  closing.push(second.close);
  expect(await second.settled("moves")).toMatchObject(refused);
  await until(() => dialled.includes("10.0.0.7:8080"));
  expect(new Set(dialled)).toEqual(new Set(["10.0.0.7:8080"]));

  // A new approval is for the present address.
  await second.pool.file.update("moves", { url: "https://moves.example/other" });
  await second.pool.file.approve("moves", second.pool.server("moves")?.approvalHash ?? "");
  await until(() => dialled.includes("10.0.0.5:443"));
});

test("a sign-in that stays at allowed addresses goes as far as the page of the authorization server", async () => {
  const { login, dialled, server } = await startSite({});
  expect((await login()).origin).toBe(new URL(server.url).origin);
  expect(dialled).toEqual([]);
});

test("an authorization server on another port of this machine is allowed by approving it, and no other place", async () => {
  const authorization = await listen((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const json = (value: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.url === "/register")
      return json({ client_id: "meguri", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" });
    return json({
      ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
      ...{ registration_endpoint: `${issuer}/register`, response_types_supported: ["code"] },
      ...{ code_challenge_methods_supported: ["S256"], token_endpoint_auth_methods_supported: ["none"] },
    });
  });
  closing.push(authorization.close);
  const place = `127.0.0.1:${authorization.port}`;
  const { login, pool, settled, dialled } = await startSite(
    { resource: () => ({ authorization_servers: [`http://${place}`] }) },
    [authorization.port],
  );
  await expect(login()).rejects.toThrow(`Add ${place} to PRIVATE_HOSTS`);
  expect(pool.server("site")?.login?.privateHost).toBe(place);
  expect(authorization.requests).toEqual([]);

  await pool.file.edit("site", (stored) => ({ ...stored, privateHosts: [place] }));
  const asked = pool.server("site");
  expect(asked).toMatchObject({ status: "needs_approval", approvalForm: { privateHosts: [place] } });
  await expect(login()).rejects.toThrow();
  expect(authorization.requests).toEqual([]);
  await pool.file.approve("site", asked?.approvalHash ?? "");
  await settled("site");
  expect((await login()).origin).toBe(`http://${place}`);
  expect(pool.server("site")?.login?.privateHost).toBeNull();
  expect(dialled).toEqual([]);
});

test("a server elsewhere cannot have itself let into our network", async () => {
  const { pool, login } = await startSite(
    { resource: () => ({ authorization_servers: ["http://10.0.0.5:9"] }) },
    [],
    "site.example",
  );
  await expect(login()).rejects.toThrow("10.0.0.5 is a private address");
  expect(pool.server("site")?.login?.privateHost).toBeNull();
});

test("a document may lead to a public address, which would be dialled as it was resolved", async () => {
  const { login, dialled } = await startSite({
    resource: () => ({ authorization_servers: ["https://public.example"] }),
  });
  await expect(login()).rejects.toThrow("Recorded, not dialled");
  expect(new Set(dialled)).toEqual(new Set(["93.184.216.34:443"]));
});

test.each(insidePlaces)("no document of a sign-in leads to %s", async (place) => {
  const sites: Record<string, Site> = {
    "resource metadata": { challenge: () => `Bearer resource_metadata="${place}/metadata"` },
    "authorization server": { resource: () => ({ authorization_servers: [place] }) },
    registration: { authorization: () => ({ registration_endpoint: `${place}/register` }) },
    redirect: {
      meddle: (request, response) => {
        if (request.url?.startsWith("/.well-known/"))
          response.writeHead(302, { location: `${place}${request.url}` }).end();
      },
    },
  };
  for (const [what, site] of Object.entries(sites)) {
    const { login, dialled, server } = await startSite(site);
    const end = login().then((page) => page.origin, String);
    // Redirects are not followed: the answer of the site itself counts.
    if (what === "redirect") expect(await end).toBe(new URL(server.url).origin);
    else expect(await end, what).toMatch(/private address|not an address that may be called/);
    expect(dialled, what).toEqual([]);
    // The redirect was seen, and nothing failed before it.
    if (what !== "resource metadata")
      expect(server.requests.join(), what).toContain("/.well-known/oauth-protected-resource");
  }
});

/** The authorization response of a server whose metadata name `place` as token endpoint. */
async function signIn(place: string) {
  const { login, pool, dialled } = await startSite({
    authorization: () => ({ token_endpoint: `${place}/token` }),
  });
  const state = (await login()).searchParams.get("state") ?? "";
  await pool.signIns.finish(new URLSearchParams({ state, code: "a-code" }));
  const { status, lastError } = pool.server("site") ?? {};
  expect([status, lastError?.code]).toEqual(["needs_login", "login_failed"]);
  return { dialled, fault: lastError?.message };
}

// Over https:, because no code is sent over http: to any other address.
test.each([
  ["https://169.254.169.254", "169.254.169.254 is not an address that may be called."],
  ["https://10.0.0.5", "10.0.0.5 is a private address. Add 10.0.0.5:443 to PRIVATE_HOSTS"],
  ["https://127.0.0.1:9", "127.0.0.1 is a private address. Add 127.0.0.1:9 to PRIVATE_HOSTS"],
  ["https://[::1]:9", "::1 is a private address."],
  ["https://inside.example", "inside.example is 10.0.0.5, which is a private address."],
  ["https://mixed.example", "mixed.example is 192.168.1.1, which is a private address."],
])("a code is not sent to %s", async (place, why) => {
  const { dialled, fault } = await signIn(place);
  expect(dialled).toEqual([]);
  expect(fault).toContain(why);
});

test("a code would be sent to a public address, as it was resolved", async () => {
  const { dialled, fault } = await signIn("https://public.example");
  expect(new Set(dialled)).toEqual(new Set(["93.184.216.34:443"]));
  expect(fault).toContain("Recorded, not dialled.");
});

test.each(refusedLoginPages)("nobody is sent to %s to sign in", async (page) => {
  const { login, dialled } = await startSite({ authorization: () => ({ authorization_endpoint: page }) });
  await expect(login()).rejects.toThrow(/cannot be opened|cannot be used|javascript:|data:/);
  expect(dialled).toEqual([]);
});

test("a name whose lookup has no end keeps nobody from closing", async () => {
  const asked = Promise.withResolvers<void>();
  const lookup = () => {
    asked.resolve();
    return new Promise<string[]>(() => {});
  };
  const { close } = await openPool(
    { remote: { url: "http://lost.example/mcp" } },
    { tuning: { guard: { lookup } } },
  );
  await asked.promise;
  let isClosed = false;
  void close().then(() => {
    isClosed = true;
  });
  await expect.poll(() => isClosed, { timeout: 3_000 }).toBe(true);
});
