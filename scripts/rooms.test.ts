import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Planted violations: a guard that has gone silent (a renamed rule, a wrong glob) must not look like a clean house. */
const rooms = [
  {
    room: "lib/protocol",
    forbidden: ["zod", "@/lib/agent/ports"],
    allowed: ["./fixture-neighbour"],
  },
  {
    room: "lib/faults",
    forbidden: ["zod", "@/lib/protocol/chunk", "node:fs"],
    allowed: ["./fixture-neighbour"],
  },
  {
    room: "lib/agent",
    forbidden: ["@/lib/store/types", "ai", "../mcp/pool", "react"],
    allowed: ["@/lib/protocol/chunk", "@cfworker/json-schema", "./fixture-neighbour"],
  },
  {
    room: "lib/providers",
    forbidden: ["@/lib/store/types", "../mcp/pool", "next/server"],
    allowed: ["ai", "@ai-sdk/google", "@/lib/agent/ports", "@/lib/protocol/chunk"],
  },
  {
    room: "lib/mcp",
    forbidden: ["ai", "@ai-sdk/google", "@/lib/server/entry/deps", "../store/types"],
    allowed: ["@modelcontextprotocol/client", "@/lib/agent/ports", "@/lib/protocol/message"],
  },
  {
    room: "lib/store",
    forbidden: ["ai", "next/headers", "@/lib/mcp/pool"],
    allowed: ["kysely", "@/lib/protocol/message"],
  },
  {
    room: "lib/server",
    forbidden: [
      "next/server",
      "ai",
      "@modelcontextprotocol/client",
      "kysely",
      "pg",
      "@redis/client",
      "better-auth",
      "openid-client",
      "@/components/ui/controls/button",
      "../mcp/pool",
    ],
    allowed: ["@/lib/agent/ports", "@/lib/mcp/pool", "@/lib/store/types", "zod"],
  },
  {
    room: "lib/server/accounts",
    forbidden: ["kysely", "next/server", "ai"],
    allowed: ["better-auth", "openid-client", "@/lib/store/ports", "@/lib/server/contract/accounts"],
  },
  {
    room: "lib/client",
    forbidden: ["@/lib/server/entry/deps", "@/components/ui/controls/button", "node:fs", "ai"],
    allowed: ["@/lib/protocol/chunk", "react", "@modelcontextprotocol/ext-apps/app-bridge"],
  },
  {
    room: "components/chat",
    forbidden: [
      "@modelcontextprotocol/ext-apps/app-bridge",
      "@/lib/server/entry/deps",
      "@/lib/agent/ports",
      "node:fs",
      "ai",
      "../ui/button",
    ],
    allowed: ["@/lib/client/http/stream", "@/lib/protocol/chunk", "react"],
  },
  {
    room: "app/api/chat",
    forbidden: [
      ...["@/lib/agent/ports", "@/lib/mcp/pool", "@/lib/store/types", "@/lib/providers/types"],
      ...["next/server", "next/headers"],
    ],
    allowed: ["@/lib/server/entry/deps", "@/lib/protocol/http"],
  },
  {
    room: "e2e",
    forbidden: ["@/lib/server/entry/deps", "@/components/ui/controls/button", "@/lib/store/types"],
    allowed: ["@/lib/protocol/http", "@playwright/test"],
  },
  {
    room: "bench",
    forbidden: ["@/components/ui/controls/button", "@/lib/client/http/stream", "@/lib/store/types"],
    allowed: ["@/lib/agent/ports", "@/lib/mcp/pool", "@/lib/protocol/http", "undici"],
  },
];

/** Of each folder that speaks to models one file: none of them knows another, but that `openai` takes Responses from `sdk`. */
const adapters = ["openai/wire", "sdk/google", "prompted-json/prompt", "demo/demo"].map(
  (file) => `@/lib/providers/${file}`,
);

/** Folders of a room: they import each other one way. */
const folders = [
  {
    folder: "lib/mcp/config",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/transport/log-ring", "@/lib/mcp/servers/managed-server"],
    allowed: ["@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/transport",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/oauth/server-login", "@/lib/mcp/entries/entries"],
    allowed: ["@/lib/mcp/config/secrets-of", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/oauth",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/faults/fault", "@/lib/mcp/connection/connection"],
    allowed: ["@/lib/mcp/transport/guarded-fetch", "@/lib/mcp/config/secrets-of", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/faults",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/connection/connection", "@/lib/mcp/servers/managed-server"],
    allowed: ["@/lib/mcp/oauth/login-setup", "@/lib/mcp/transport/find-command", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/questions",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/calls/call-tool", "@/lib/mcp/connection/connection"],
    allowed: ["@/lib/mcp/questions/sampling", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/connection",
    forbidden: [
      "@/lib/mcp/pool",
      "@/lib/mcp/calls/call-tool",
      "@/lib/mcp/servers/managed-server",
      "@/lib/mcp/library/app-resource",
    ],
    allowed: ["@/lib/mcp/questions/questions", "@/lib/mcp/faults/fault", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/calls",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/servers/managed-server", "@/lib/mcp/definitions/pins"],
    allowed: ["@/lib/mcp/connection/connection", "@/lib/mcp/questions/questions", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/servers",
    forbidden: [
      "@/lib/mcp/pool",
      "@/lib/mcp/entries/entries",
      "@/lib/mcp/definitions/pins",
      "@/lib/mcp/calls/call-tool",
    ],
    allowed: ["@/lib/mcp/connection/connection", "@/lib/mcp/oauth/server-login", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/definitions",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/entries/entries", "@/lib/mcp/library/server-library"],
    allowed: ["@/lib/mcp/servers/server-registry", "@/lib/mcp/connection/server-tool", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/library",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/entries/entries", "@/lib/mcp/definitions/pins"],
    allowed: ["@/lib/mcp/servers/server-registry", "@/lib/mcp/calls/read-result", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/mcp/entries",
    forbidden: ["@/lib/mcp/pool", "@/lib/mcp/library/server-library", "@/lib/mcp/definitions/pins"],
    allowed: ["@/lib/mcp/servers/server-registry", "@/lib/mcp/config/config-file", "@/lib/protocol/mcp"],
  },
  {
    folder: "lib/server",
    forbidden: ["@/lib/server/http/errors", "@/lib/server/entry/deps"],
    allowed: ["./ids"],
  },
  {
    folder: "lib/server/http",
    forbidden: ["@/lib/server/entry/deps", "@/lib/server/loop/live-run", "@/lib/server/contract/chat"],
    allowed: ["@/lib/server/env", "./errors", "@/lib/server/http/errors"],
  },
  {
    folder: "lib/server/contract",
    forbidden: ["@/lib/server/entry/deps", "@/lib/server/conversations/chat"],
    allowed: ["@/lib/server/http/errors", "./fields"],
  },
  {
    folder: "lib/server/agents",
    forbidden: ["@/lib/server/loop/run-deps", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/http/errors", "@/lib/agent/ports"],
  },
  {
    folder: "lib/server/attachments",
    forbidden: ["@/lib/server/conversations/chat", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/http/body"],
  },
  {
    folder: "lib/server/settings",
    forbidden: ["@/lib/server/loop/run-deps", "@/lib/server/servers/servers", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/http/errors"],
  },
  {
    folder: "lib/server/servers",
    forbidden: ["@/lib/server/loop/run-deps", "@/lib/server/apps/apps", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/settings/presets"],
  },
  {
    folder: "lib/server/accounts",
    forbidden: ["@/lib/server/entry/deps", "@/lib/server/settings/settings"],
    allowed: ["@/lib/server/http/errors", "@/lib/server/matrix/matrices"],
  },
  {
    folder: "lib/server/audit",
    forbidden: ["@/lib/server/accounts/accounts", "@/lib/server/entry/deps", "@/lib/server/runs/start-run"],
    allowed: ["@/lib/server/http/peer", "@/lib/server/transfer/file-answer"],
  },
  {
    folder: "lib/server/loop",
    forbidden: ["@/lib/server/runs/start-run", "@/lib/server/contract/chat", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/settings/prices", "@/lib/server/agents/build-agent"],
  },
  {
    folder: "lib/server/runs",
    forbidden: [
      "@/lib/server/conversations/chat",
      "@/lib/server/servers/servers",
      "@/lib/server/agents/build-agent",
      "@/lib/server/entry/deps",
    ],
    allowed: ["@/lib/server/settings/choose-model", "@/lib/server/loop/drive-run"],
  },
  {
    folder: "lib/server/conversations",
    forbidden: ["@/lib/server/shares/shares", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/runs/start-run"],
  },
  {
    folder: "lib/server/apps",
    forbidden: ["@/lib/server/runs/start-run", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/servers/servers"],
  },
  {
    folder: "lib/server/shares",
    forbidden: ["@/lib/server/servers/servers", "@/lib/server/entry/deps"],
    allowed: ["@/lib/server/conversations/conversations"],
  },
  {
    folder: "lib/agent",
    forbidden: ["@/lib/agent/workflows/step", "./workflows/step"],
    allowed: ["@/lib/protocol/chunk"],
  },
  {
    folder: "lib/providers/shared",
    forbidden: ["@/lib/providers/providers", "@/lib/providers/faults/failure", "@/lib/providers/openai/wire"],
    allowed: ["@/lib/protocol/chunk"],
  },
  {
    folder: "lib/providers/faults",
    forbidden: ["@/lib/providers/types", "@/lib/providers/shared/model-source", "@/lib/providers/sdk/google"],
    allowed: ["@/lib/protocol/chunk"],
  },
  {
    folder: "lib/providers/tools",
    forbidden: ["@/lib/providers/types", "@/lib/providers/openai/wire", "@/lib/providers/sdk/google"],
    allowed: ["@/lib/providers/faults/failure", "@/lib/providers/shared/model-source"],
  },
  ...adapters.map((adapter) => ({
    folder: dirname(adapter).slice("@/".length),
    forbidden: [
      "@/lib/providers/providers",
      "@/lib/providers/provider-table",
      ...adapters.filter(
        (other) => other !== adapter && !(adapter.includes("/openai/") && other.includes("/sdk/")),
      ),
    ],
    allowed: [
      "@/lib/providers/shared/model-source",
      "@/lib/providers/faults/failure",
      "@/lib/providers/tools/call-id",
    ],
  })),
  {
    folder: "components/ui",
    forbidden: ["@/components/ui/controls/button", "@/components/ui/words/sentences"],
    allowed: ["./cn", "@/lib/client/text/sentences"],
  },
  {
    folder: "components/ui/words",
    forbidden: ["@/components/ui/cn", "@/components/ui/controls/button"],
    allowed: ["./sentences", "@/lib/client/text/sentences"],
  },
  {
    folder: "components/ui/controls",
    forbidden: ["@/components/ui/layers/dialog", "@/components/ui/schema/schema-field"],
    allowed: ["./field", "@/components/ui/cn"],
  },
  {
    folder: "components/ui/layers",
    forbidden: ["@/components/ui/code/code-block", "@/components/ui/schema/schema-field"],
    allowed: ["@/components/ui/cn", "@/components/ui/controls/button"],
  },
  {
    folder: "components/ui/code",
    forbidden: ["@/components/ui/layers/dialog", "@/components/ui/words/sentences"],
    allowed: ["./diff-limit", "@/components/ui/controls/copy-button"],
  },
  {
    folder: "components/ui/schema",
    forbidden: ["@/components/ui/layers/menu", "@/components/ui/code/code-block"],
    allowed: ["@/components/ui/cn", "@/components/ui/controls/field-line"],
  },
];

/** What a test can do to pass without checking anything, one rule each. */
const lazyTests = `import { expect, test } from "@playwright/test";

test.skip("skipped", () => expect(1).toBe(2));
test("without an assertion", () => {});
test("by the clock", async ({ page }) => {
  await page.waitForTimeout(1_000);
  expect(page).toBeTruthy();
});
test("not awaited", async ({ page }) => {
  expect(page.locator("p")).toBeVisible();
});
`;

let house = "";
let found: Map<string, string[]>;
let foundInFolders: Map<string, number>;

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), "meguri-rooms-"));
  for (const file of ["biome.json", ".oxlintrc.json"]) copyFileSync(file, join(house, file));
  write(".gitignore", "node_modules/\n");
  for (const { room, forbidden, allowed } of rooms) {
    plant(room, "forbidden", forbidden);
    plant(room, "allowed", allowed);
  }
  for (const { folder, forbidden, allowed } of folders) {
    plant(folder, "above", forbidden);
    plant(folder, "below", allowed);
  }
  write("lib/agent/cycle-a.ts", 'import { b } from "./cycle-b";\n\nexport const a = () => b;\n');
  write("lib/agent/cycle-b.ts", 'import { a } from "./cycle-a";\n\nexport const b = () => a;\n');
  write("lib/agent/types-a.ts", 'import type { B } from "./types-b";\n\nexport type A = { b?: B };\n');
  write("lib/agent/types-b.ts", 'import type { A } from "./types-a";\n\nexport type B = { a?: A };\n');
  write("e2e/lazy.spec.ts", lazyTests);
  found = lint();
  foundInFolders = lintFolders();
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

function write(path: string, text: string) {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

/** A file for each import; a type counts as much as a value. */
function plant(folder: string, name: string, imports: readonly string[]) {
  for (const [index, from] of imports.entries())
    write(
      `${folder}/${name}${index}.ts`,
      `import "${from}";\nimport type { T } from "${from}";\nexport type { T };\n`,
    );
}

/** How many imports of each file oxlint finds that its folder may not have. */
function lintFolders(): Map<string, number> {
  const oxlint = join(process.cwd(), "node_modules", "oxlint", "bin", "oxlint");
  const found = new Map<string, number>();
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: house, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  for (const { code, filename } of diagnostics)
    if (code.includes("no-restricted-imports")) found.set(filename, (found.get(filename) ?? 0) + 1);
  return found;
}

/** The names of the rules that each file breaks. */
function lint(): Map<string, string[]> {
  const biome = join(process.cwd(), "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."];
  let report = "";
  try {
    report = execFileSync(process.execPath, args, { cwd: house, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    report = (error as { stdout: string }).stdout;
  }
  const { diagnostics } = JSON.parse(report) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  const rules = new Map<string, string[]>();
  for (const { category, location } of diagnostics) {
    rules.set(location.path, [...(rules.get(location.path) ?? []), category]);
  }
  return rules;
}

const importRule = "lint/style/noRestrictedImports";

test.each(rooms.flatMap(({ room, forbidden }) => forbidden.map((from, index) => ({ room, from, index }))))(
  "$room may not import $from",
  ({ room, index }) => {
    expect(found.get(`${room}/forbidden${index}.ts`)).toContain(importRule);
  },
);

test.each(rooms.flatMap(({ room, allowed }) => allowed.map((from, index) => ({ room, from, index }))))(
  "$room may import $from",
  ({ room, index }) => {
    expect(found.get(`${room}/allowed${index}.ts`) ?? []).not.toContain(importRule);
  },
);

test.each(
  folders.flatMap(({ folder, forbidden }) => forbidden.map((from, index) => ({ folder, from, index }))),
)("the folder $folder may not import $from", ({ folder, index }) => {
  expect(foundInFolders.get(`${folder}/above${index}.ts`)).toBeGreaterThanOrEqual(2);
});

test.each(folders.flatMap(({ folder, allowed }) => allowed.map((from, index) => ({ folder, from, index }))))(
  "the folder $folder may import $from",
  ({ folder, index }) => {
    expect(foundInFolders.get(`${folder}/below${index}.ts`)).toBeUndefined();
  },
);

test.each(["cycle-a", "types-a"])("an import cycle is an error, of types too: %s", (file) => {
  expect(found.get(`lib/agent/${file}.ts`)).toContain("lint/suspicious/noImportCycles");
});

test.each([
  "suspicious/noSkippedTests",
  "suspicious/useExpect",
  "suspicious/noPlaywrightWaitForTimeout",
  "correctness/noPlaywrightMissingAwait",
])("%s sees a test that proves nothing", (rule) => {
  expect(found.get("e2e/lazy.spec.ts")).toContain(`lint/${rule}`);
});
