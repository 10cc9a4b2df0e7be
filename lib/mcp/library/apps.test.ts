import { afterEach, expect, test } from "vitest";
import { appMimeType } from "@/lib/mcp/connection/open-connection";
import { definitionHash, isFor, readTool, type ServerTool } from "@/lib/mcp/connection/server-tool";
import { npmServer, openPool, type TestPool } from "@/lib/mcp/testing/test-pool";
import { readApp } from "./app-resource";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const signal = () => AbortSignal.timeout(10_000);

async function start(name: string): Promise<TestPool> {
  const pool = await openPool({ [name]: npmServer(`server-${name}`, "--stdio") });
  closing.push(pool.close);
  await pool.ready(name);
  return pool;
}

const tool = (_meta: unknown) =>
  readTool({ name: "t", inputSchema: { type: "object" }, _meta }) as ServerTool;

test("whom a tool is for is read from its metadata, and both are meant where it says nothing", () => {
  const seen = (_meta: unknown) => [isFor("model", tool(_meta)), isFor("app", tool(_meta))];
  expect(seen(undefined)).toEqual([true, true]);
  expect(seen({ ui: { resourceUri: "ui://a/b" } })).toEqual([true, true]);
  expect(seen({ ui: { visibility: ["app"] } })).toEqual([false, true]);
  expect(seen({ ui: { visibility: ["model"] } })).toEqual([true, false]);
  expect(seen({ ui: { visibility: ["stranger"] } })).toEqual([false, false]);
});

test("an app has a ui:// address, in the newer or the older key; another one is none", () => {
  expect(tool({ ui: { resourceUri: "ui://a/b" } }).ui?.resourceUri).toBe("ui://a/b");
  expect(tool({ "ui/resourceUri": "ui://a/c" }).ui?.resourceUri).toBe("ui://a/c");
  expect(tool({ ui: { resourceUri: "https://evil.example/" } }).ui).toBeUndefined();
  expect(tool({ ui: "nonsense" }).ui).toBeUndefined();
});

test("another app is another definition, and a tool without one keeps its hash", () => {
  const hashes = [
    undefined,
    { ui: { resourceUri: "ui://a" } },
    { ui: { resourceUri: "ui://b" } },
    { other: 1 },
  ];
  const [bare, a, b, other] = hashes.map((meta) => definitionHash(tool(meta)));
  expect(new Set([bare, a, b]).size).toBe(3);
  expect(other).toBe(bare);
});

const resource = (csp: unknown, mimeType = appMimeType) =>
  readApp({ contents: [{ uri: "ui://a", mimeType, text: "<p>", _meta: { ui: { csp } } }] }, "ui://a");

test("an app may name public hosts, encrypted; nothing else becomes a source of the policy", () => {
  const bad = [
    "*",
    "https://*",
    "https://*.com",
    "http://cdn.example",
    "https://localhost",
    "https://127.0.0.1:3000",
    "https://[::1]",
    "https://printer.local",
    "https://user@cdn.example",
    "https://cdn.example/path",
    "https://cdn.example; script-src *",
    "https://cdn.example\n",
    "'self'",
    "data:",
    "cdn.example",
  ];
  const { domains, refused } = resource({
    connectDomains: ["https://API.example/", "wss://live.example:8443", ...bad],
    resourceDomains: ["https://*.cdn.example", "wss://live.example"],
    frameDomains: "https://not.a.list",
  });
  expect(domains).toEqual({
    connect: ["https://api.example", "wss://live.example:8443", "https://cdn.example"],
    resource: ["https://*.cdn.example"],
    frame: [],
  });
  expect(refused).toEqual([...bad.filter((text) => text !== "https://cdn.example\n"), "wss://live.example"]);
});

test("what is not marked as an app is not opened as one", () => {
  expect(() => resource(undefined, "text/html")).toThrow("is not an app");
  expect(resource(undefined, "text/html; profile=mcp-app").html).toBe("<p>");
});

test("budget-allocator and map bring their apps; what is for the app alone stays beside the result", async () => {
  const budget = await start("budget-allocator");
  const uri = "ui://budget-allocator/mcp-app.html";
  expect(budget.pool.server("budget-allocator")?.tools[0]?.ui?.resourceUri).toBe(uri);
  const app = await budget.pool.library.readApp("budget-allocator", uri, signal());
  expect(app).toMatchObject({ domains: { connect: [], resource: [], frame: [] }, refused: [] });
  expect(app.html).toContain("Budget Allocator");

  const map = await start("map");
  const { domains } = await map.pool.library.readApp("map", "ui://cesium-map/mcp-app.html", signal());
  expect(domains.resource).toContain("https://*.openstreetmap.org");
  const { result } = await map.run("map__show-map", {});
  expect(result).toMatchObject({ status: "ok", meta: { viewUUID: expect.any(String) } });
});

test("a call outside of a run goes to the definition that was judged, and to no other", async () => {
  const { pool } = await start("budget-allocator");
  const call = (hash: string) =>
    pool.call("budget-allocator", "get-budget-data", {}, signal(), { definition: hash });
  const hash = pool.server("budget-allocator")?.tools[0]?.hash ?? "";
  expect((await call(hash)).status).toBe("ok");
  expect(await call("another")).toMatchObject({
    status: "error",
    content: [{ text: expect.stringContaining("definition changed") }],
  });
});
