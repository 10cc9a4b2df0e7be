import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { consent } from "@/lib/mcp/testing/consent";
import { listen, type Meddler, streamable } from "@/lib/mcp/testing/http-server";
import { startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import { limitMaxima } from "@/lib/protocol/person-limits";
import { getDeps } from "@/lib/server/entry/deps";
import { host } from "@/lib/server/testing/database-env";
import { callApi, readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { becomes, serverNamesOf, serverOf } from "./testing/servers";

const reference = (name: string) => `\${${name}}`;

const keys: string[] = [];
const record: Meddler = (_message, { headers }) => {
  keys.push(String(headers["x-key"] ?? headers["x-api-key"] ?? ""));
  return false;
};
const vault = await listen(streamable(404, record).answer);
/** In the network of the operator, who has a server of their own there. */
const inside = await listen(streamable().answer);
const desk = await startProtectedServer();
/** Nobody but an attack asks for this path. */
const trap = inside.url.replace("/mcp", "/own");
/** Sends whoever comes to an address inside, in the way that its path names. */
const lure = await listen((request, response) => {
  const origin = `http://127.0.0.1:${lure.port}`;
  const json = (value: object) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  const unauthorized = (metadata: string) =>
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
  const place = request.url ?? "";
  if (place.startsWith("/redirect")) return response.writeHead(307, { location: trap }).end();
  if (place.startsWith("/metadata")) return unauthorized(`http://127.0.0.1:${inside.port}/resource`);
  if (place.startsWith("/issuer")) return unauthorized(`${origin}/resource/issuer`);
  if (place.startsWith("/token")) return unauthorized(`${origin}/resource/token`);
  if (place.startsWith("/resource/issuer"))
    return json({ resource: `${origin}/issuer`, authorization_servers: [new URL(inside.url).origin] });
  if (place.startsWith("/resource/token"))
    return json({ resource: `${origin}/token`, authorization_servers: [origin] });
  if (place.startsWith("/.well-known/oauth-authorization-server"))
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${new URL(inside.url).origin}/token`,
      registration_endpoint: `${new URL(inside.url).origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
  return response.writeHead(404).end();
});

/** Listens later. */
const drifting = await listen(() => {});
await drifting.close();
const admitted = [
  ...[vault.port, lure.port, drifting.port],
  ...[desk.url, desk.issuer].map((address) => Number(new URL(address).port)),
];
withApplication(
  { inside: { url: inside.url }, local: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs"] } },
  {
    AUTH: "accounts",
    TOOL_APPROVAL: "allow",
    METRICS_TOKEN: "a-token-for-monitoring",
    MEMBERS_PRIVATE_HOSTS: admitted.map((port) => `127.0.0.1:${port}`).join(","),
    // What the operator's servers may reach is not for those of members.
    PRIVATE_HOSTS: `127.0.0.1:${inside.port},localhost:*`,
    OPERATORS_KEY: "the operator's key",
  },
);
afterAll(async () => Promise.all([vault, inside, desk, lure].map((server) => server.close())));

let admin: TestPerson;
let ben: TestPerson;
let cleo: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  for (const person of [admin, ben, cleo]) await person.call("PATCH", "/api/settings", { titles: "words" });
});

const add = (person: TestPerson, name: string, config: object, more: object = {}) =>
  person.call("POST", "/api/mcp/servers", { name, config, ...more });
const remove = (person: TestPerson, name: string) => person.call("DELETE", `/api/mcp/servers/${name}`);
const answered = async (response: Response) => [response.status, (await response.json()).error] as const;

test("a member has a server that nobody else has, changes it, uses it and takes it away", async () => {
  expect(
    (await add(ben, "mine", { url: vault.url, headers: { "X-Api-Key": "k-of-ben-1234" } }, { encrypt: true }))
      .status,
  ).toBe(201);
  await becomes(ben, "mine", "ready");
  const shown = await serverOf(ben, "mine");
  expect(shown).toMatchObject({
    owner: ben.id,
    hidesOwn: false,
    scope: "user",
    config: { url: vault.url, headers: { "X-Api-Key": reference("secret:X-Api-Key") } },
    secrets: [{ name: "X-Api-Key", stored: true, used: true }],
  });
  expect((await serverOf(ben, "inside")).owner).toBe("operator");
  expect(keys).toContain("k-of-ben-1234");

  const monitoring = { authorization: "Bearer a-token-for-monitoring" };
  const figures = async () => (await callApi("GET", "/api/metrics", undefined, monitoring)).text();
  const counted = async () =>
    Number(
      /^meguri_mcp_calls_total\{server="\(personal\)",status="ok"\} (\d+)/m.exec(await figures())?.[1] ?? 0,
    );
  const before = await counted();
  const run = await readStream(
    await ben.call("POST", "/api/chat", { message: { text: "/tool mine__look {}" }, model: "demo/demo" }),
  );
  expect(run.chunks.some((chunk) => chunk.type === "tool_result" && chunk.result.status === "ok")).toBe(true);
  // It is counted, and its name told to nobody.
  expect(await counted()).toBe(before + 1);
  expect(await figures()).not.toContain("mine");

  // What changes elsewhere does not touch its connection.
  const [{ since }, asked] = [await serverOf(ben, "mine"), keys.length];
  await admin.call("PATCH", "/api/mcp/servers/local", { deferred: true });
  await add(ben, "beside", { url: vault.url });
  await remove(ben, "beside");
  expect(await serverOf(ben, "mine")).toMatchObject({ since, status: "ready" });
  expect(keys.slice(asked)).not.toContain("k-of-ben-1234");

  // To everybody else, an admin too, it is unknown: byte for byte.
  for (const person of [cleo, admin]) {
    expect(await serverNamesOf(person)).not.toContain("mine");
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["GET", "/definitions", undefined],
      ["PATCH", "", { enabled: false }],
      ["DELETE", "", undefined],
      ["POST", "/restart", {}],
      ["POST", "/login", {}],
      ["PATCH", "/secrets", { "X-Api-Key": "x" }],
      ["POST", "/tools/look/call", { args: {} }],
    ] as const) {
      const [foreign, unknown] = [
        await person.call(method, `/api/mcp/servers/mine${path}`, body),
        await person.call(method, `/api/mcp/servers/nope${path}`, body),
      ];
      expect([foreign.status, await foreign.text()]).toEqual([unknown.status, await unknown.text()]);
      expect(foreign.status).toBeGreaterThanOrEqual(403);
    }
  }
  // The same name is free for everybody else.
  expect((await add(cleo, "mine", { url: vault.url })).status).toBe(201);

  expect((await ben.call("PATCH", "/api/mcp/servers/mine", { tools: { look: false } })).status).toBe(200);
  await vi.waitFor(async () =>
    expect((await serverOf(ben, "mine")).tools.find(({ name }) => name === "look")?.enabled).toBe(false),
  );
  expect((await ben.call("POST", "/api/mcp/servers/mine/restart", {})).status).toBe(200);
  const { store } = await getDeps();
  const stored = JSON.stringify(await store.settings.get(ben.id, "mcp-own-servers"));
  expect(stored).not.toContain("127.0.0.1");
  expect((await remove(ben, "mine")).status).toBe(200);
  expect(await serverNamesOf(ben)).toEqual(["inside", "local"]);
  expect(await store.settings.get(ben.id, "mcp-own-servers")).toEqual({});
  expect(JSON.stringify(await store.settings.get(ben.id, "mcp-server-secrets"))).not.toContain("mine");
  expect((await serverOf(cleo, "mine")).owner).toBe(cleo.id);
  expect((await remove(cleo, "mine")).status).toBe(200);
});

test("what runs on this machine, reads it or reaches into its network is refused to a member with words", async () => {
  const url = vault.url;
  for (const config of [
    { command: "node", args: ["-e", "1"] },
    { type: "stdio", command: "node" },
    { url, cwd: "/tmp" },
    { url, env: { A: "1" } },
    { url, roots: ["/"] },
    { url, privateHosts: ["127.0.0.1:22"] },
    { url, sampling: true },
    { url, mayEscalate: true },
  ]) {
    const [status, error] = await answered(await add(ben, "bad", config));
    expect([status, error.code]).toEqual([403, "forbidden"]);
    expect(error.message).toContain("is set up by an admin");
    expect((await add(ben, "bad", config, { encrypt: true })).status).toBe(403);
    expect((await ben.call("POST", "/api/mcp/servers?preview=true", { name: "bad", config })).status).toBe(
      403,
    );
  }
  for (const config of [
    { url, headers: { "X-Key": reference("env:OPERATORS_KEY") } },
    { url, headers: { "X-Key": reference("OPERATORS_KEY") } },
    { url, headers: { "X-Key": reference("OPERATORS_KEY:-x") } },
    { url: `${url}/${reference("workspaceFolder")}` },
    { url, oauth: { clientId: reference("env:OPERATORS_KEY") } },
    { url: `http://${reference("secret:HOST")}/mcp` },
    { url: "ftp://example.com/mcp" },
    { url: "http://me:pass@example.com/mcp" },
    { url, type: "sse" },
    { url, something: 1 },
    { url, headers: { A: "x".repeat(20_000) } },
  ])
    expect([(await add(ben, "bad", config)).status, config]).toEqual([400, config]);
  expect(
    (await ben.call("POST", "/api/mcp/servers", { mcpServers: { bad: { command: "node" } } })).status,
  ).toBe(403);
  // What the identity provider says of a person goes where an admin has decided.
  const vouched = { url, oauth: { grant: "id_jag", clientId: "mine" } };
  expect((await add(ben, "bad", vouched)).status).toBe(403);
  expect(await serverNamesOf(ben)).not.toContain("bad");

  // Nor does a change of one's own make it possible.
  expect((await add(ben, "good", { url })).status).toBe(201);
  const change = (config: object, encrypt = false) =>
    ben.call("PATCH", "/api/mcp/servers/good", { config, encrypt });
  expect((await change({ command: "node" })).status).toBe(403);
  expect((await change({ command: "node", env: { TOKEN: "s-1234567890" } }, true)).status).toBe(403);
  expect((await change({ url, headers: { "X-Key": reference("env:OPERATORS_KEY") } })).status).toBe(400);
  expect((await serverOf(ben, "good")).config).toEqual({ url });
  for (const [method, path, body] of [
    ["GET", "/api/mcp/file", undefined],
    ["GET", "/api/mcp/export", undefined],
    ["GET", "/api/mcp/servers/good/logs", undefined],
    ["PATCH", "/api/mcp/servers/inside", { enabled: false }],
    ["DELETE", "/api/mcp/servers/inside", undefined],
    ["POST", "/api/mcp/servers/inside/sleep", {}],
  ] as const)
    expect([(await ben.call(method, path, body)).status, path]).toEqual([403, path]);
  expect(keys).not.toContain("the operator's key");
  await remove(ben, "good");
});

test("a member's entry that came into the database by another way reads nothing of the environment", async () => {
  const { ownEntries, pool } = await getDeps();
  await ownEntries?.change(ben.id, (entries) => {
    entries.set("planted", { url: vault.url, headers: { "X-Key": reference("env:OPERATORS_KEY") } });
    entries.set("folder", { url: vault.url, headers: { "X-Key": `in ${reference("workspaceFolder")}` } });
  });
  pool.of(ben.id).applyOwn();
  await becomes(ben, "planted", "failed");
  await becomes(ben, "folder", "ready");
  expect(keys).not.toContain("the operator's key");
  expect(keys.filter((key) => key.startsWith("in"))).toEqual(keys.filter((key) => key === "in"));
  for (const name of ["planted", "folder"]) await remove(ben, name);
});

test("a member's server reaches no private address: by name, by redirect, nor by what a sign-in finds out", async () => {
  await vi.waitFor(async () => expect((await serverOf(admin, "inside")).status).toBe("ready"), 15_000);
  for (const person of [admin, ben, cleo]) await becomes(person, "inside", "ready");
  const at = (place: string) => `http://127.0.0.1:${lure.port}/${place}`;
  const places = {
    address: trap,
    name: trap.replace("127.0.0.1", "localhost"),
    decimal: trap.replace("127.0.0.1", "2130706433"),
    mapped: trap.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    metadata: at("metadata"),
    redirect: at("redirect"),
    issuer: at("issuer"),
    token: at("token"),
  };
  for (const [name, url] of Object.entries(places)) expect((await add(ben, name, { url })).status).toBe(201);
  for (const name of ["address", "name", "decimal", "mapped"]) {
    await becomes(ben, name, "failed");
    const { lastError } = await serverOf(ben, name);
    expect(lastError?.code).toBe("forbidden_address");
    // Which address a name has inside is the operator's to know.
    expect(lastError?.message).not.toMatch(/127|private|PRIVATE_HOSTS/);
  }
  for (const name of ["metadata", "issuer", "token", "redirect"]) {
    await vi.waitFor(async () => expect((await serverOf(ben, name)).status).not.toBe("connecting"), 15_000);
    const told = await (await ben.call("POST", `/api/mcp/servers/${name}/login`, {})).text();
    const shown = await serverOf(ben, name);
    expect(shown.status).not.toBe("ready");
    expect(told + shown.lastError?.message).not.toMatch(/private|PRIVATE_HOSTS/);
    expect(shown.login?.privateHost ?? null).toBe(null);
  }
  expect(inside.requests.filter((request) => !/^(GET|POST|DELETE) \/mcp$/.test(request))).toEqual([]);
  for (const name of Object.keys(places)) await remove(ben, name);
});

test("a name means one server: who has it keeps it, and the operator's comes first", async () => {
  const [status, error] = await answered(await add(ben, "local", { url: vault.url }));
  expect([status, error.code]).toEqual([409, "exists"]);
  expect((await add(ben, "twice", { url: vault.url })).status).toBe(201);
  expect((await add(ben, "twice", { url: vault.url })).status).toBe(409);
  await becomes(ben, "twice", "ready");
  await becomes(admin, "inside", "ready");

  // The operator adds one of the same name later: it counts for all, and the person is told.
  expect((await add(admin, "twice", { url: inside.url })).status).toBe(201);
  await vi.waitFor(async () =>
    expect(await serverOf(ben, "twice")).toMatchObject({ owner: "operator", hidesOwn: true, config: {} }),
  );
  expect(await serverOf(cleo, "twice")).toMatchObject({ owner: "operator", hidesOwn: false });
  expect((await ben.call("PATCH", "/api/mcp/servers/twice", { enabled: false })).status).toBe(403);
  const hash = (await serverOf(admin, "twice")).approvalHash;
  await admin.call("POST", "/api/mcp/servers/twice/approve", { hash });
  await becomes(ben, "twice", "ready");

  // Once the operator's is gone the person's is back, and opened by its own rules.
  expect((await remove(admin, "twice")).status).toBe(200);
  await vi.waitFor(async () => expect((await serverOf(ben, "twice")).owner).toBe(ben.id));
  await becomes(ben, "twice", "ready");
  expect((await serverOf(ben, "twice")).config.url).toBe(vault.url);

  await add(admin, "twice", { url: inside.url });
  await vi.waitFor(async () => expect((await serverOf(ben, "twice")).hidesOwn).toBe(true));
  expect((await remove(cleo, "twice")).status).toBe(403);
  expect((await remove(ben, "twice")).status).toBe(200);
  expect(await serverOf(ben, "twice")).toMatchObject({ owner: "operator", hidesOwn: false });
  expect((await remove(ben, "twice")).status).toBe(403);
  expect((await remove(admin, "twice")).status).toBe(200);
});

test("a member's yes to a changed tool of their own server is for good", async () => {
  let said = "Looks.";
  const drifts = await listen(
    streamable(404, ({ id, method }, _request, response) => {
      if (method !== "tools/list") return false;
      const tools = [{ name: "look", description: said, inputSchema: { type: "object" } }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }));
      return true;
    }).answer,
    drifting.port,
  );
  onTestFinished(drifts.close);
  await add(ben, "drift", { url: drifts.url });
  await becomes(ben, "drift", "ready");
  const tool = async () => (await serverOf(ben, "drift")).tools.find(({ name }) => name === "look");
  const change = async (text: string) => {
    said = text;
    await ben.call("POST", "/api/mcp/servers/drift/restart", {});
    await vi.waitFor(async () => expect((await tool())?.definition).toBe("changed"), 10_000);
  };
  await change("Looks twice.");
  const acceptDefinition = { tool: "look", hash: (await tool())?.hash };
  expect((await ben.call("PATCH", "/api/mcp/servers/drift", { acceptDefinition })).status).toBe(200);
  expect((await tool())?.definition).toBe("pinned");

  await change("Looks three times.");
  const asked = await readStream(
    await ben.call("POST", "/api/chat", { message: { text: "/tool drift__look {}" }, model: "demo/demo" }),
  );
  const question = asked.chunks.find((chunk) => chunk.type === "approval_request");
  expect(question).toMatchObject({ reason: "changed_definition" });
  const given = { requestId: question?.requestId, decision: "approve" };
  expect((await ben.call("POST", `/api/runs/${asked.runId}/answer`, given)).status).toBe(200);
  await vi.waitFor(async () => expect((await tool())?.definition).toBe("pinned"), 10_000);
  await remove(ben, "drift");
});

test("a person signs in to their own server, and has at most so many", async () => {
  expect((await add(ben, "desk", { url: desk.url })).status).toBe(201);
  await becomes(ben, "desk", "needs_login");
  const { url } = await (await ben.call("POST", "/api/mcp/servers/desk/login", {})).json();
  const { pathname, search } = await consent(new URL(url), `http://${host}/api/mcp/oauth/callback`);
  expect((await ben.call("GET", pathname + search)).headers.get("location")).toBe("/settings/mcp/desk");
  await becomes(ben, "desk", "ready");
  await remove(ben, "desk");
  expect(await (await getDeps()).store.settings.owners("mcp-login:desk")).toEqual([]);

  const emil = await join(admin, "Emil");
  const many = Object.fromEntries(
    Array.from({ length: limitMaxima.servers }, (_, index) => [
      `many${index}`,
      { url: vault.url, disabled: true },
    ]),
  );
  expect((await emil.call("POST", "/api/mcp/servers", { mcpServers: many })).status).toBe(201);
  const [status, error] = await answered(await add(emil, "more", { url: vault.url }));
  expect([status, error.code]).toEqual([409, "too_many"]);
  expect(await serverNamesOf(emil)).toHaveLength(limitMaxima.servers + 2);
  const tried = await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      await remove(emil, "many0");
      return (await add(emil, name, { url: vault.url, disabled: true })).status;
    }),
  );
  expect(tried.filter((each) => each === 201)).toHaveLength(1);
});

test("with a person their servers go, and the audit log names what was done without contents", async () => {
  const dora = await join(admin, "Dora");
  await add(dora, "diary", { url: vault.url, headers: { Authorization: "Bearer s-1234567890" } });
  await becomes(dora, "diary", "ready");
  const audit = await (await admin.call("GET", "/api/audit")).text();
  expect(audit).toContain("diary");
  expect(audit).not.toContain("s-1234567890");
  expect((await admin.call("DELETE", `/api/users/${dora.id}`)).status).toBe(200);
  const { store, ownEntries } = await getDeps();
  await vi.waitFor(
    async () => expect(await store.settings.owners("mcp-own-servers")).not.toContain(dora.id),
    15_000,
  );
  expect([...(ownEntries?.of(dora.id) ?? [])]).toEqual([]);
});
