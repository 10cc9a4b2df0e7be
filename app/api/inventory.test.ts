import { expect, test } from "vitest";

const routes = import.meta.glob<Record<string, unknown>>("./**/route.ts", { eager: true });
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const guarded = Symbol.for("meguri.guarded");

/** Reachable without a session. `GET session` takes the launch token itself. */
const open = [
  "./health/route.ts",
  "./mcp/oauth/client/route.ts",
  "./share/[token]/route.ts",
  "./share/[token]/attachments/[id]/route.ts",
];

test("every handler of every route stands behind the guard", () => {
  expect(Object.keys(routes).length).toBeGreaterThan(25);
  for (const [path, module] of Object.entries(routes)) {
    const handlers = methods.filter(
      (method) => method in module && !(path === "./session/route.ts" && method === "GET"),
    );
    expect(handlers, path).not.toEqual([]);
    for (const method of handlers) {
      const access = (module[method] as { [guarded]?: string })[guarded];
      expect(access, `${method} ${path}`).toBe(open.includes(path) ? "public" : "session");
    }
  }
});
