import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import {
  foreignHosts,
  foreignPages,
  foreignScripts,
  formTypes,
  methodOverrides,
  oddPaths,
  oddRequests,
} from "@/docs/corpus/origin";
import { apiOf } from "../support/api";
import { type App, startApp } from "../support/app";
import { endOf } from "../support/follow-stream";
import { makeGated } from "../support/gated";
import { type RawRequest, rawRequest } from "../support/raw-request";
import { routeInventory } from "../support/route-inventory";
import { expect, test } from "../support/server-test";

// One application for the file: nothing here may change it, which is what is tested.
test.describe.configure({ mode: "default" });

const open = [
  "/api/health",
  "/api/ready",
  "/api/metrics",
  "/api/mcp/oauth/client",
  ...["register", "resource", "server", "token"].map((name) => `/api/oauth/${name}`),
  "/api/share/[token]",
  "/api/share/[token]/attachments/[id]",
];
/** Whoever has the address may call it, from anywhere: its last part is the secret. */
const isByAddress = ({ path, method }: { path: string; method: string }) =>
  path === "/api/triggers/[id]" && method === "POST";
/** For programs that have nothing but what stands in the body, where no cookie counts: nothing is kept of the one, and the other wants a code. */
const isByBody = (path: string) => path === "/api/oauth/register" || path === "/api/oauth/token";
/** Takes the launch token itself. */
const isSignIn = ({ path, method }: { path: string; method: string }) =>
  path === "/api/session" && method === "GET";
/** Those that only say what is not built yet. */
const isUnbuilt = (path: string) => path.includes("...");
const inventory = routeInventory();
const gated = makeGated();
/** A folder of its own: what a stranger deletes here is no agent of the repository. */
const agents = mkdtempSync(join(tmpdir(), "meguri-guard-"));
const agentFile = (instruction: string) =>
  `name: kept\nagent:\n  type: llm\n  name: kept\n  instruction: ${instruction}\n`;

let app: App;
let cookie: string;
let ids: Record<string, string>;

test.beforeAll(async () => {
  writeFileSync(join(agents, "kept.yaml"), agentFile("Be kind."));
  app = await startApp({ mcpConfig: { mcpServers: { gated: gated.config } }, env: { AGENTS_DIR: agents } });
  const { headers } = await rawRequest(app, { path: `/?token=${app.token}`, headers: own() });
  cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
  const api = apiOf(app);
  // The folders of this machine, which a link must not show.
  const asked = await api.ask(`count to 2, then look into ${process.cwd()}/notes and ${homedir()}/plans`);
  await asked.closed;
  const { conversationId } = await api.run(asked.runId);
  const share = await api.post<{ id: string; token: string }>(`/api/conversations/${conversationId}/shares`);
  const kept = { tool: "work", name: "kept", args: { by: "us" } };
  const { items } = await api.post<{ items: { id: string }[] }>("/api/mcp/servers/gated/requests", kept);
  const preset = await api.post<{ id: string }>("/api/mcp/presets", { name: "kept", servers: ["gated"] });
  const assistant = await api.post<{ id: string }>("/api/assistants", { name: "kept" });
  const project = await api.post<{ id: string }>("/api/projects", { name: "kept" });
  const prompt = await api.post<{ id: string }>("/api/prompts", { name: "kept", text: "kept" });
  const hook = await api.post<{ id: string }>("/api/hooks", {
    ...{ url: "https://hooks.example/kept", events: ["run.waiting"] },
  });
  const errand = { name: "kept", text: "kept", budget: { tokens: 9 } };
  const schedule = await api.post<{ id: string }>("/api/schedules", { ...errand, cron: "0 0 1 1 *" });
  const trigger = await api.post<{ id: string }>("/api/triggers", errand);
  const token = await api.post<{ id: string }>("/api/tokens", {
    ...{ name: "kept", scopes: ["read"], expiresAt: null },
  });
  ids = {
    presets: preset.id,
    assistants: assistant.id,
    projects: project.id,
    prompts: prompt.id,
    hooks: hook.id,
    schedules: schedule.id,
    triggers: trigger.id,
    tokens: token.id,
    requests: items[0]?.id ?? "",
    runs: asked.runId,
    conversations: conversationId,
    shares: share.id,
    share: share.token,
  };
});

test.afterAll(async () => {
  await app.dispose();
  gated.dispose();
  rmSync(agents, { recursive: true });
});

const own = () => ({ host: new URL(app.baseUrl).host });
const page = () => ({ ...own(), cookie, origin: app.baseUrl });
const json = { "content-type": "application/json" };
const isMutating = (method: string) => !["GET", "HEAD", "OPTIONS"].includes(method);

/** Bodies that would change something, by route; one that is missing here fails below. */
const bodies: Record<string, unknown> = {
  "POST /api/[...path]": {},
  "PUT /api/[...path]": {},
  "PATCH /api/[...path]": {},
  "DELETE /api/[...path]": {},
  "PUT /api/agents/[id]/file": { text: agentFile("Be rude."), version: "x" },
  "DELETE /api/agents/[id]/file": {},
  "POST /api/assistants": { name: "Written by a stranger" },
  "PATCH /api/assistants/[id]": { name: "Written by a stranger" },
  "DELETE /api/assistants/[id]": {},
  "POST /api/projects": { name: "Written by a stranger" },
  "PATCH /api/projects/[id]": { name: "Written by a stranger" },
  "DELETE /api/projects/[id]": {},
  "POST /api/prompts": { name: "Written by a stranger", text: "x" },
  "PATCH /api/prompts/[id]": { name: "Written by a stranger" },
  "DELETE /api/prompts/[id]": {},
  "POST /api/hooks": { url: "https://stranger.example/", events: ["run.completed"] },
  "PATCH /api/hooks/[id]": { url: "https://stranger.example/" },
  "DELETE /api/hooks/[id]": {},
  "POST /api/hooks/[id]/test": {},
  "POST /api/hooks/[id]/deliveries/[messageId]": {},
  "POST /api/schedules": {
    ...{ name: "Written by a stranger", text: "x", cron: "* * * * *", budget: { tokens: 9 } },
  },
  "PATCH /api/schedules/[id]": { name: "Written by a stranger" },
  "DELETE /api/schedules/[id]": {},
  "POST /api/schedules/[id]/run": {},
  "POST /api/triggers": { name: "Written by a stranger", text: "x", budget: { tokens: 9 } },
  "POST /api/triggers/[id]": {},
  "PATCH /api/triggers/[id]": { name: "Written by a stranger" },
  "DELETE /api/triggers/[id]": {},
  "POST /api/auth/sign-up/email": { name: "Eve", email: "eve@example.com", password: "a long password" },
  "POST /api/auth/sign-in/email": { email: "eve@example.com", password: "a long password" },
  "POST /api/auth/reset-password": { token: "x", password: "a long password" },
  "POST /api/auth/change-password": { current: "x", password: "a long password" },
  "POST /api/invitations": { role: "admin" },
  "DELETE /api/invitations/[id]": {},
  "PATCH /api/limits": { member: { runs: 3 } },
  "PATCH /api/users/[id]": { role: "admin" },
  "DELETE /api/users/[id]": {},
  "POST /api/users/[id]/reset": {},
  "DELETE /api/sessions": {},
  "DELETE /api/sessions/[id]": {},
  "POST /api/auth/sign-in/passkey/options": {},
  "POST /api/auth/sign-in/passkey": { response: {} },
  "POST /api/passkeys/options": {},
  "POST /api/passkeys": { name: "Of a stranger", response: {} },
  "DELETE /api/passkeys/[id]": {},
  "POST /api/oauth/register": { redirect_uris: ["https://stranger.example/"] },
  "POST /api/oauth/authorize": { request: "", allow: true },
  "POST /api/oauth/token": {},
  "POST /api/tokens": { name: "Of a stranger", scopes: ["admin"], expiresAt: null },
  "DELETE /api/tokens/[id]": {},
  "POST /api/attachments": "Written by a stranger",
  "POST /api/chat": { message: { text: "Written by a stranger" } },
  "POST /api/conversations/import": {},
  "POST /api/runs/import": {},
  "POST /api/conversations": { title: "Written by a stranger" },
  "POST /api/conversations/batch": { ids: ["x"], action: "delete" },
  "PATCH /api/conversations/[id]": { title: "Written by a stranger" },
  "DELETE /api/conversations/[id]": {},
  "POST /api/conversations/[id]/messages": { edits: "x", text: "Written by a stranger" },
  "POST /api/conversations/[id]/shares": {},
  "POST /api/conversations/[id]/shares/file": {},
  "PATCH /api/shares/[id]": { expiresAt: "2030-01-01T00:00:00Z" },
  "DELETE /api/shares/[id]": {},
  "POST /api/share/[token]/fork": {},
  "DELETE /api/session": {},
  "POST /api/data/delete": { confirm: "delete everything" },
  "PATCH /api/settings": { rules: [{ pattern: "mcp:*:*", effect: "allow" }] },
  "POST /api/mcp/servers": { name: "stranger", config: { command: "node", args: ["-e", "0"] } },
  "PATCH /api/mcp/servers/[name]": { enabled: false },
  "DELETE /api/mcp/servers/[name]": {},
  "POST /api/mcp/servers/[name]/approve": { hash: "x" },
  "POST /api/mcp/servers/[name]/restart": {},
  "POST /api/mcp/servers/[name]/sleep": {},
  "PATCH /api/mcp/servers/[name]/secrets": { TOKEN: "x" },
  "POST /api/mcp/servers/[name]/login": {},
  "POST /api/mcp/servers/[name]/logout": {},
  "POST /api/mcp/prompts/get": { server: "gated", name: "x" },
  "POST /api/mcp/resources/read": { server: "gated", uri: "x://y" },
  "POST /api/mcp/skills/read": { server: "gated", uri: "x://y" },
  "POST /api/mcp/complete": {
    server: "gated",
    ref: { type: "prompt", name: "x" },
    argument: { name: "a", value: "" },
  },
  "POST /api/mcp/servers/[name]/tools/[tool]/call": { args: {} },
  "POST /api/mcp/servers/[name]/requests": { tool: "work", name: "Written by a stranger", args: {} },
  "DELETE /api/mcp/servers/[name]/requests/[id]": {},
  "PUT /api/mcp/file": { text: '{"mcpServers":{}}', version: "x" },
  "POST /api/mcp/presets": { name: "Written by a stranger", servers: ["gated"] },
  "PATCH /api/mcp/presets/[id]": { name: "Written by a stranger" },
  "DELETE /api/mcp/presets/[id]": {},
  "POST /api/mcp/apps/open": { server: "gated", uri: "ui://x" },
  "POST /api/mcp/apps/call": { server: "gated", tool: "work", args: {} },
  "POST /api/mcp/apps/read": { server: "gated", uri: "x://y" },
  "POST /api/providers/[id]/test": {},
  "PATCH /api/runs/[id]": { step: true },
  "PATCH /api/conversations/[id]/ledger": { items: { system: "dropped" } },
  "POST /api/runs/[id]/cancel": { callId: "call_1" },
  "POST /api/runs/[id]/stop": {},
  "POST /api/runs/[id]/messages": { text: "By a stranger", when: "after", clientMessageId: "stranger" },
  "PATCH /api/runs/[id]/messages/[messageId]": { text: "By a stranger" },
  "DELETE /api/runs/[id]/messages/[messageId]": {},
  "POST /api/runs/[id]/answer": { requestId: "x", decision: "approve" },
  "DELETE /api/runs/[id]/plan": {},
  "POST /api/runs/[id]/resume": {},
  "POST /api/runs/[id]/fork": { afterSeq: 1 },
  "POST /api/runs/[id]/rerun": { tape: "live" },
  "POST /api/matrix": {
    runIds: ["01a21ae1-f288-740d-9318-4b236f08a9f4"],
    models: ["demo/demo"],
    tape: "live",
    budget: { tokens: 1_000 },
  },
  "PATCH /api/matrix/[id]": { budget: { tokens: 1_000 } },
  "POST /api/matrix/[id]/stop": {},
};

/** A path of the route that names things which are there. */
function pathOf(route: string): string {
  return route
    .replace("[...path]", "anything/else")
    .replace("[name]", "gated")
    .replace("[tool]", "work")
    .replace("/runs/[id]", `/runs/${ids.runs}`)
    .replace("[messageId]", "kept")
    .replace("/files/[file]", `/files/${ids.runs}`)
    .replace("/conversations/[id]", `/conversations/${ids.conversations}`)
    .replace("/requests/[id]", `/requests/${ids.requests}`)
    .replace("/schedules/[id]", `/schedules/${ids.schedules}`)
    .replace("/triggers/[id]", `/triggers/${ids.triggers}`)
    .replace("/providers/[id]", "/providers/openai")
    .replace("/shares/[id]", `/shares/${ids.shares}`)
    .replace("/presets/[id]", `/presets/${ids.presets}`)
    .replace("/assistants/[id]", `/assistants/${ids.assistants}`)
    .replace("/projects/[id]", `/projects/${ids.projects}`)
    .replace("/agents/[id]", "/agents/kept")
    .replace("/hooks/[id]", `/hooks/${ids.hooks}`)
    .replace("/tokens/[id]", `/tokens/${ids.tokens}`)
    .replace("[token]", ids.share ?? "");
}

const cases = inventory.flatMap(({ path, methods }) => methods.map((method) => ({ path, method })));
const changing = cases.filter(({ method }) => isMutating(method));

function requestFor({ path, method }: { path: string; method: string }): RawRequest {
  const body = isMutating(method) ? { body: JSON.stringify(bodies[`${method} ${path}`]) } : {};
  return { method, path: pathOf(path), ...body };
}

/** Everything that a request could have changed. */
async function state() {
  const api = apiOf(app);
  const { items } = await api.servers();
  return {
    conversations: await api.get("/api/conversations"),
    conversation: await api.conversation(ids.conversations ?? ""),
    shares: await api.get("/api/shares"),
    settings: await api.get("/api/settings"),
    servers: items.map(({ name, status, since, config }) => ({ name, status, since, config })),
    requests: await api.get("/api/mcp/servers/gated/requests"),
    presets: await api.get("/api/mcp/presets"),
    assistants: await api.get("/api/assistants"),
    projects: await api.get("/api/projects"),
    hooks: await api.get("/api/hooks"),
    tokens: await api.get("/api/tokens"),
    schedules: await api.get("/api/schedules"),
    triggers: await api.get("/api/triggers"),
    agents: await api.get("/api/agents"),
    agent: await api.get("/api/agents/kept/file"),
    calls: gated.calls(),
  };
}

test("every route of the sources is known to these tests", () => {
  expect(inventory.length).toBeGreaterThan(25);
  for (const { path, methods } of inventory) expect(methods, path).not.toEqual([]);
  expect(changing.map(({ path, method }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(bodies).toSorted(),
  );
});

test("without a session every route answers 401, and nothing is changed", async () => {
  const before = await state();
  for (const one of cases) {
    if (open.includes(one.path) || isSignIn(one) || isByAddress(one)) continue;
    const wrong = [
      {},
      { cookie: cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A")) },
      { authorization: "Bearer " },
      { authorization: `Bearer ${app.token}x` },
      { authorization: `Basic ${app.token}` },
    ];
    for (const headers of wrong) {
      const { status, text } = await rawRequest(app, {
        ...requestFor(one),
        headers: { ...own(), ...json, origin: app.baseUrl, ...headers },
      });
      expect(status, `${one.method} ${one.path} with ${JSON.stringify(headers)}`).toBe(401);
      expect(JSON.parse(text)).toMatchObject({ error: { code: "unauthorized" } });
    }
  }
  expect(await state()).toEqual(before);
});

test("another site's page changes nothing, whatever credentials the browser adds", async () => {
  const before = await state();
  const bearer = { authorization: `Bearer ${app.token}` };
  const port = Number(new URL(app.baseUrl).port);
  const foreign = [
    ...foreignPages(port).map((headers) => ({ ...headers, cookie })),
    ...foreignScripts.map((headers) => ({ ...headers, ...bearer })),
  ];
  for (const one of changing.filter((each) => !isByAddress(each) && !isByBody(each.path))) {
    for (const headers of foreign) {
      const { status, text } = await rawRequest(app, {
        ...requestFor(one),
        headers: { ...own(), ...json, ...headers },
      });
      expect(status, `${one.method} ${one.path} with ${JSON.stringify(headers)}`).toBe(403);
      expect(JSON.parse(text)).toMatchObject({ error: { code: "forbidden_origin" } });
    }
  }
  expect(await state()).toEqual(before);
});

test("our own page passes the same checks", async () => {
  const { status } = await rawRequest(app, {
    method: "PATCH",
    path: pathOf("/api/conversations/[id]"),
    headers: { ...page(), ...json, "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ pinned: false }),
  });
  expect(status).toBe(200);
});

test("a name that is not ours is refused on the API, on pages, assets and streams", async () => {
  const html = await rawRequest(app, { path: "/settings", headers: page() });
  const asset = /\/_next\/static\/[^"\\]+\.js/.exec(html.text)?.[0] ?? "no asset";
  expect((await rawRequest(app, { path: asset, headers: own() })).status).toBe(200);
  const { port } = new URL(app.baseUrl);
  const paths = ["/", "/settings", asset, pathOf("/api/runs/[id]/stream"), "/api/settings", "/api/nothing"];
  for (const host of foreignHosts(port)) {
    for (const path of [...paths, `/share/${ids.share}`, `/?token=${app.token}`]) {
      const { status, headers, text } = await rawRequest(app, { path, headers: { ...page(), host } });
      expect(status, `${path} as ${host}`).toBe(403);
      expect(headers["set-cookie"], `${path} as ${host}`).toBeUndefined();
      expect(JSON.parse(text)).toMatchObject({ error: { code: "forbidden_host" } });
    }
  }
  // A name in the request line counts for nothing.
  const line = { path: `http://evil.example/api/health`, headers: own() };
  expect((await rawRequest(app, line)).status).toBe(403);
});

test("a body that is not declared as JSON is refused: a form can send it without asking", async () => {
  const before = await state();
  for (const one of changing) {
    // OAuth has a form there.
    if (one.method === "DELETE" || isUnbuilt(one.path) || one.path === "/api/oauth/token") continue;
    for (const type of formTypes) {
      const { status } = await rawRequest(app, {
        ...requestFor(one),
        headers: { ...page(), "content-type": type },
      });
      // Files come as what they are; there a header that no form can send is asked for.
      const refused = one.path === "/api/attachments" ? 400 : 415;
      expect(status, `${one.method} ${one.path} as ${type}`).toBe(refused);
    }
  }
  expect(await state()).toEqual(before);
});

test("a body that is nested without end is refused, and costs nothing but itself", async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  for (const [path, body] of [
    ["/api/mcp/servers", `{"name":"x","config":{"command":"node","a":${deep}}}`],
    ["/api/runs/[id]/answer", `{"requestId":"x","decision":"approve","args":${deep}}`],
    ["/api/chat", deep],
  ] as const) {
    const { status, text } = await rawRequest(app, {
      ...{ method: "POST", path: pathOf(path), body },
      headers: { ...page(), ...json },
    });
    expect([status, JSON.parse(text).error.code], path).toEqual([400, "invalid_input"]);
  }
});

test("the machine-readable description names every route that is built", async () => {
  const { paths } = await apiOf(app).get<{ paths: Record<string, object> }>("/api/openapi.json");
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith("/api/") ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`) : [],
  );
  const built = cases
    .filter((one) => !isSignIn(one) && one.path !== "/api/openapi.json" && !isUnbuilt(one.path))
    .map(({ method, path }) => `${method} ${path.replaceAll("[", "{").replaceAll("]", "}")}`);
  expect(described.toSorted()).toEqual(built.toSorted());
});

test("a method cannot be smuggled in, and a wrong one is 405", async () => {
  const before = await state();
  for (const { path, methods } of inventory.filter(({ methods: each }) => each.includes("DELETE"))) {
    if (isUnbuilt(path)) continue;
    await rawRequest(app, {
      path: `${pathOf(path)}?_method=DELETE`,
      headers: { ...page(), ...methodOverrides },
    });
    const { status } = await rawRequest(app, {
      method: "POST",
      path: `${pathOf(path)}?_method=DELETE`,
      headers: { ...page(), ...json, ...methodOverrides },
      body: JSON.stringify({ _method: "DELETE" }),
    });
    // By POST the address of a trigger asks: an id opens none.
    expect(status, path).toBe(methods.includes("POST") ? 404 : 405);
  }
  for (const { path, methods } of inventory) {
    if (isUnbuilt(path)) continue;
    for (const method of methodsBut(methods)) {
      const { status } = await rawRequest(app, {
        method,
        path: pathOf(path),
        headers: { ...page(), ...json },
      });
      expect(status, `${method} ${path}`).toBe(405);
    }
  }
  expect(await state()).toEqual(before);
});

test("no preflight and no answer lets another origin read", async () => {
  for (const { path } of inventory) {
    const asked = { origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", "GET"]) {
      const { headers } = await rawRequest(app, {
        ...{ method, path: pathOf(path), headersAlone: true },
        headers: { ...own(), cookie, ...asked },
      });
      const cors = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      expect(cors, `${method} ${path}`).toEqual([]);
    }
  }
});

test("pages carry a policy with a new nonce each time, and everything its security headers", async () => {
  const pages = ["/", "/settings/mcp", "/nothing-here", `/share/${ids.share}`];
  const nonces = new Set<string>();
  for (const path of [...pages, ...pages]) {
    const { headers, text } = await rawRequest(app, { path, headers: page() });
    const policy = String(headers["content-security-policy"]);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    expect(nonce.length, path).toBeGreaterThan(20);
    nonces.add(nonce);
    expect(policy).toContain("'strict-dynamic'");
    expect(policy).not.toContain("unsafe-eval");
    expect(policy).not.toMatch(/script-src[^;]*unsafe-inline/);
    for (const part of ["default-src 'self'", "connect-src 'self'"]) expect(policy).toContain(part);
    for (const kind of ["img", "media"]) expect(policy).toContain(`${kind}-src 'self' data: blob:`);
    for (const part of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    const scripts = [...text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.length, path).toBeGreaterThan(0);
    for (const tag of scripts) expect(tag, path).toContain(`nonce="${nonce}"`);
  }
  expect(nonces.size).toBe(2 * pages.length);
  for (const path of [...pages, "/api/health", "/api/conversations", pathOf("/api/runs/[id]/stream")]) {
    const { headers } = await rawRequest(app, { path, headers: page() });
    expect(headers, path).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(headers["referrer-policy"], path).toMatch(/^(same-origin|no-referrer)$/);
    expect(headers["x-powered-by"], path).toBeUndefined();
  }
});

test("whoever opens a page from another one loses its window, and an address that a person has entered has none", async () => {
  for (const [site, policy] of [
    ["none", undefined],
    ["same-origin", "same-origin"],
    ["same-site", "same-origin"],
    ["cross-site", "same-origin"],
    ["none, cross-site", "same-origin"],
    ["nonesuch", "same-origin"],
  ] as const)
    for (const path of ["/", "/settings/servers", "/share/none"]) {
      const sent = { ...page(), "sec-fetch-site": site, "sec-fetch-mode": "navigate" };
      const { headers } = await rawRequest(app, { path, headers: sent });
      expect(headers["cross-origin-opener-policy"], `${site} ${path}`).toBe(policy);
      expect(headers["x-frame-options"], `${site} ${path}`).toBe("DENY");
    }
});

test("the printed address signs in once and leaves the token nowhere", async () => {
  const right = await rawRequest(app, { path: `/?token=${app.token}`, headers: own() });
  expect(right).toMatchObject({ status: 303, headers: { location: "/", "cache-control": "no-store" } });
  const [set = ""] = [right.headers["set-cookie"]].flat();
  const { port } = new URL(app.baseUrl);
  expect(set).toMatch(
    new RegExp(`^meguri_${port}=[\\w-]{40,}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Lax$`),
  );
  expect(set).not.toContain(app.token);
  for (const path of ["/?token=wrong", "/?token=", `/api/session?token=${app.token}x`, "/api/session"]) {
    const { headers } = await rawRequest(app, { path, headers: own() });
    expect(headers["set-cookie"], path).toBeUndefined();
  }
  const wrong = await rawRequest(app, { path: "/settings", headers: own() });
  expect(wrong.status).toBe(401);
  expect(wrong.text).toContain("Open the printed link");
});

test("requests that no client sends are answered and end nothing", async () => {
  for (const path of oddPaths) {
    const { status, headers } = await rawRequest(app, { path, headers: page() });
    expect(status, path).not.toBe(500);
    // No open redirect: where it leads stays with us.
    if (headers.location) expect(new URL(String(headers.location), app.baseUrl).origin).toBe(app.baseUrl);
  }
  for (const bytes of oddRequests(own().host)) {
    expect(await sendBytes(bytes), JSON.stringify(bytes)).not.toMatch(/^HTTP\/1.1 (2|101|5)/);
  }
  expect((await app.fetch("/api/health")).status).toBe(200);
  expect(app.output()).not.toMatch(/Unhandled|TypeError| {4}at /);
});

test("a thousand requests that never come to their end keep nobody from being answered", async () => {
  const { port } = new URL(app.baseUrl);
  const starts = [
    "GET /api/health HTTP/1.1\r\nHost: ",
    `POST /api/chat HTTP/1.1\r\nHost: ${own().host}\r\nContent-Length: 9\r\n\r\n{`,
  ];
  const halves = await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) => {
      const socket = connect({ host: "127.0.0.1", port: Number(port) });
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write(starts[at % 2] ?? "");
      return socket;
    }),
  );
  expect((await app.fetch("/api/health")).status).toBe(200);
  expect((await app.fetch("/api/conversations")).status).toBe(200);
  for (const socket of halves) socket.destroy();
});

test("it listens on this machine alone", async () => {
  const { port } = new URL(app.baseUrl);
  // All of 127.0.0.0/8 leads here, so a server on every interface would answer at each of them.
  const reached = await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.2", port: Number(port), timeout: 2_000 });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("timeout", () => resolve(false)).once("close", () => socket.destroy());
  });
  expect(reached).toBe(false);
});

test("a balancer asks under any name whether the process is up and ready, and learns nothing else", async () => {
  const { port } = new URL(app.baseUrl);
  for (const host of ["10.0.0.7:3000", "evil.example", `evil example:${port}`]) {
    const ask = async (path: string) =>
      JSON.parse((await rawRequest(app, { path, headers: { ...page(), host } })).text);
    expect(await ask("/api/health")).toEqual({ status: "ok" });
    expect(await ask("/api/ready")).toEqual({ status: "ready" });
  }
  const post = { method: "POST", path: "/api/health", headers: { host: "evil.example" } };
  expect((await rawRequest(app, post)).status).toBe(403);
  const ready = await rawRequest(app, { path: "/api/ready", headers: page() });
  expect(JSON.parse(ready.text)).toEqual({ status: "ready", liveRuns: 0, disk: expect.any(String) });
});

test("a shared conversation is public, and reveals neither owner nor path", async () => {
  const shared = await rawRequest(app, { path: `/api/share/${ids.share}`, headers: own() });
  expect(shared.status).toBe(200);
  expect(shared.text).toContain("then look into ");
  for (const word of [process.cwd(), homedir(), app.dataDir, gated.journal, '"local"', app.token])
    expect(shared.text).not.toContain(word);
  expect(endOf((await apiOf(app).replay(ids.runs ?? "")).events).status).toBe("completed");
});

/** Each other one; HEAD is answered where GET is. */
const methodsBut = (known: readonly string[]): string[] =>
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter(
    (method) => !known.includes(method) && !(method === "HEAD" && known.includes("GET")),
  );

function sendBytes(bytes: string): Promise<string> {
  const { port } = new URL(app.baseUrl);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ host: "127.0.0.1", port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}
