import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { importServers } from "@/lib/mcp/config/import";
import { checkAgent } from "@/lib/server/agents/check-agent";
import { parseAgent } from "@/lib/server/agents/parse-agent";
import { openApi } from "@/lib/server/contract/openapi";
import { reservedEnv } from "@/lib/server/env";
import { providerVariables } from "@/lib/server/provider-env";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

test.each(pages)("links of %s to files lead somewhere", (page) => {
  const targets = [...read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = ""]) => target);
  const files = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(files.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

const sources = [
  ...readdirSync(root),
  ...["app", "bench", "components", "docs", "e2e", "lib", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ),
];

/** Not in CONTRIBUTING: recipes are about files that are yet to be written. */
test.each(pages.filter((page) => page.startsWith("docs/") || page === "SECURITY.md"))(
  "the source files that %s names exist",
  (page) => {
    const named = [...read(page).matchAll(/`([\w./[\]-]+\.(?:tsx?|mjs))`/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !sources.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([]);
  },
);

test("the server entries of the README are understood as they stand there", () => {
  const [, json = ""] = /```json\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  const { servers, notes } = importServers(json);
  expect(servers.map(({ name }) => name)).toEqual(["postgres", "search"]);
  expect(notes).toEqual([]);
});

test("every variable of ours is explained in the README and in .env.example, and no other", () => {
  const table = read("README.md").split("## Environment")[1]?.split("\n## ")[0] ?? "";
  const explained = [...table.matchAll(/^\|(.*?)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect(explained.toSorted()).toEqual([...reservedEnv, ...providerVariables].toSorted());
  const example = read(".env.example");
  for (const name of explained) expect(example, name).toContain(`${name}`);
});

test("docs/http-api.md says every route", () => {
  const lines = read("docs/http-api.md").split("\n");
  const untold = Object.entries(openApi().paths).flatMap(([path, methods]) => {
    const name = new RegExp(`${path.replaceAll(/\{(\w+)\}/g, ":$1")}(?![\\w/:-])`);
    const told = lines.filter((line) => name.test(line)).join();
    return Object.keys(methods)
      .filter((method) => !told.includes(method.toUpperCase()))
      .map((method) => `${method} ${path}`);
  });
  expect(untold).toEqual([]);
});

test("the agent of docs/agents.md is a file that can be used", () => {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(read("docs/agents.md")) ?? [];
  const parsed = parseAgent("haiku.yaml", yaml);
  expect(() =>
    checkAgent(parsed, { files: new Map(), custom: new Set(), faultOfModel: () => undefined }),
  ).not.toThrow();
  expect(parsed.definition.name).toBe("haiku");
});
