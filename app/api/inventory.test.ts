import { expect, test } from "vitest";
import { openApi } from "@/lib/server/contract/openapi";

const guarded = Symbol.for("meguri.guarded");
const routes = import.meta.glob<Record<string, unknown>>("./**/route.ts", { eager: true });
/** What programs ask by the wires that they know. */
const forPrograms = import.meta.glob<Record<string, { [guarded]?: string }>>(
  ["/app/mcp/route.ts", "/app/v1/**/route.ts"],
  { eager: true },
);
/** Of these OpenAI's wires are in the document: MCP has one of its own. */
const openAi = Object.fromEntries(
  Object.entries(forPrograms).filter(([path]) => path.startsWith("/app/v1/")),
);
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const audited = Symbol.for("meguri.audited");

/** Not in the OpenAPI document: it is that document, a page that a browser opens, or a route that says it is not built yet. */
const untold = ["get /api/openapi.json", "get /api/session"];

/** Reachable without a session. `GET session` takes the launch token itself. */
const open = [
  "./mcp/oauth/client/route.ts",
  // Programs that have no token yet.
  ...["register", "resource", "server", "token"].map((name) => `./oauth/${name}/route.ts`),
  "./share/[token]/route.ts",
  "./share/[token]/attachments/[id]/route.ts",
  // Its address is the secret; the other methods there want a session.
  "POST ./triggers/[id]/route.ts",
];

/** What balancers and monitoring ask, under any name. */
const probes = ["health", "metrics", "ready"].map((name) => `GET ./${name}/route.ts`);

/** Where people get in. */
const signIn = [
  "POST ./auth/sign-up/email/route.ts",
  "POST ./auth/sign-in/email/route.ts",
  "POST ./auth/sign-in/passkey/route.ts",
  "POST ./auth/sign-in/passkey/options/route.ts",
  "POST ./auth/reset-password/route.ts",
  "GET ./auth/oidc/route.ts",
  "GET ./auth/oidc/callback/route.ts",
];

/** What changes or shows what everybody uses, and what is about people: for the operator, and with accounts for admins. */
const admin = [
  "GET ./audit/route.ts",
  "GET ./audit/file/route.ts",
  ...["PUT", "DELETE"].map((method) => `${method} ./agents/[id]/file/route.ts`),
  "POST ./data/delete/route.ts",
  ...["GET", "POST"].map((method) => `${method} ./invitations/route.ts`),
  "DELETE ./invitations/[id]/route.ts",
  "GET ./mcp/export/route.ts",
  ...["GET", "PUT"].map((method) => `${method} ./mcp/file/route.ts`),
  ...["approve", "sleep"].map((name) => `POST ./mcp/servers/[name]/${name}/route.ts`),
  "GET ./mcp/servers/[name]/logs/route.ts",
  "POST ./providers/[id]/test/route.ts",
  "GET ./users/route.ts",
  ...["PATCH", "DELETE"].map((method) => `${method} ./users/[id]/route.ts`),
  ...["GET", "PATCH"].map((method) => `${method} ./limits/route.ts`),
  "POST ./users/[id]/reset/route.ts",
];

test("every handler of every route stands behind the guard", () => {
  expect(Object.keys(routes).length).toBeGreaterThan(25);
  const found: Record<string, string[]> = { admin: [], "sign-in": [], probe: [] };
  for (const [path, module] of Object.entries(routes)) {
    const handlers = methods.filter(
      (method) => method in module && !(path === "./session/route.ts" && method === "GET"),
    );
    expect(handlers, path).not.toEqual([]);
    for (const method of handlers) {
      const access = (module[method] as { [guarded]?: string })[guarded] ?? "none";
      if (access in found) found[access]?.push(`${method} ${path}`);
      else {
        const isOpen = open.includes(path) || open.includes(`${method} ${path}`);
        expect(access, `${method} ${path}`).toBe(isOpen ? "public" : "session");
      }
    }
  }
  expect(found.admin?.toSorted()).toEqual(admin.toSorted());
  expect(found.probe?.toSorted()).toEqual(probes);
  expect(found["sign-in"]?.toSorted()).toEqual(signIn.toSorted());
});

test("what programs ask by other wires wants a token, and no cookie counts", () => {
  const access = Object.values(forPrograms).flatMap((module) =>
    methods.flatMap((method) => (method in module ? module[method]?.[guarded] : [])),
  );
  expect(access.length).toBeGreaterThan(9);
  expect(new Set(access)).toEqual(new Set(["program"]));
});

test("what admins change is in the audit log", () => {
  // Members change their own, and what each has for themselves at the operator's.
  const ofServers = Object.entries(routes).flatMap(([path, module]) =>
    path.startsWith("./mcp/servers/")
      ? methods.flatMap((name) => (name in module ? `${name} ${path}` : []))
      : [],
  );
  const changes = [...new Set([...admin, ...ofServers])].filter(
    (name) => !name.startsWith("GET ") || name.includes("/export/"),
  );
  const silent = changes.filter((name) => {
    const [method = "", path = ""] = name.split(" ");
    return !(routes[path]?.[method] as { [audited]?: boolean } | undefined)?.[audited];
  });
  // It asks a provider for its models; the others keep requests of one's own.
  expect(silent.toSorted()).toEqual([
    "DELETE ./mcp/servers/[name]/requests/[id]/route.ts",
    "POST ./mcp/servers/[name]/requests/route.ts",
    "POST ./providers/[id]/test/route.ts",
  ]);
});

test("the OpenAPI document has every route that is built, and no other", () => {
  const built = Object.entries({ ...routes, ...openAi }).flatMap(([path, module]) => {
    if (path.includes("[...")) return [];
    const name = path.replace(/^\/app|\/route\.ts$/g, "").replace(/^\./, "/api");
    const told = name.replaceAll(/\[(\w+)\]/g, "{$1}");
    return methods.flatMap((method) => (method in module ? `${method.toLowerCase()} ${told}` : []));
  });
  const documented = Object.entries(openApi().paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((method) => `${method} ${path}`),
  );
  expect(documented.toSorted()).toEqual(built.filter((route) => !untold.includes(route)).toSorted());
});
