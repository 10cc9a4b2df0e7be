import { defineConfig } from "vitest/config";
import { findPostgres } from "./lib/store/testing/find-postgres.mjs";

const tests = (rooms: string) => `${rooms}/**/*.test.{ts,tsx}`;
/** What is imported there holds nothing that one test file could leave to the next: to load it anew for each takes longer than its tests. */
const withoutState = tests(
  "{components,lib/agent,lib/client,lib/protocol,lib/providers,lib/server,lib/store}",
);
/** Our own modules are loaded again for each file; libraries are loaded once. */
const withState = tests("{app/api,app/v1,lib/mcp,docs}");
/** They ask how much their process has taken at most. */
const ofMemory = "app/api/*-memory.test.ts";
const withEmptyStore = "lib/store/testing/sqlite-setup.ts";
const resetModules = "app/api/testing/reset-modules.ts";

/** `npm run unit-on-postgres`. */
const isAll = Boolean(process.env.ALL_ON_POSTGRES);
const hasPostgres = findPostgres() !== undefined;
const missing = "PostgreSQL 15 or newer is not installed (Debian: postgresql)";
if (!hasPostgres && isAll) throw new Error(`${missing}.`);
if (!hasPostgres) console.warn(`${missing}: the tests of the store run on SQLite alone.`);

const postgres = {
  env: { STORE_ENGINE: "postgres" },
  globalSetup: "lib/store/testing/postgres-setup.ts",
};

/** All that reaches the store through the application; without being asked what reads and writes most, where files lie, and what instances share. */
const application = isAll
  ? [tests("{app/api,app/v1,docs}"), "lib/mcp/oauth/login-store.test.ts", tests("lib/server")]
  : [
      "app/api/{accounts,answers,attachments,branch,chat,data,delete-everything,events,gateway,gateway-waits,hooks,import,metrics,oauth,search,share}.test.ts",
      "app/v1/{caller-tools,responses}.test.ts",
      "lib/server/attachments/byte-folder.test.ts",
      "{app/api,lib/server}/**/postgres-*.test.ts",
    ];

const onPostgres = [
  /** The tests of the store once more, but for those that look into SQLite's files or are about files of earlier versions. */
  {
    extends: true as const,
    test: {
      ...postgres,
      name: "store on PostgreSQL",
      include: [tests("lib/store")],
      exclude: ["**/node_modules/**", "**/sqlite-*.test.ts", "lib/store/{migrations,rebuild}/**"],
      isolate: false,
    },
  },
  {
    extends: true as const,
    test: {
      ...postgres,
      name: "API on PostgreSQL",
      include: application,
      // Those of `findings` reach no store, and measure what they take: after hundreds of files in one process that ends no more.
      exclude: ["**/node_modules/**", ofMemory, "lib/server/shares/findings.test.ts"],
      isolate: false,
      setupFiles: resetModules,
    },
  },
  ...(isAll
    ? [{ extends: true as const, test: { ...postgres, name: "memory on PostgreSQL", include: [ofMemory] } }]
    : []),
];

export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "rooms without state",
          include: [withoutState],
          exclude: ["**/node_modules/**", "**/postgres-*.test.ts"],
          globalSetup: withEmptyStore,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "rooms with state",
          include: [withState],
          exclude: ["**/node_modules/**", "**/postgres-*.test.ts", ofMemory],
          globalSetup: withEmptyStore,
          isolate: false,
          setupFiles: resetModules,
        },
      },
      {
        extends: true,
        test: {
          name: "the others",
          include: [tests("{lib,scripts}"), tests("app/!(api|v1)"), "app/*.test.{ts,tsx}", ofMemory],
          exclude: ["**/node_modules/**", withoutState, tests("lib/mcp")],
          globalSetup: withEmptyStore,
        },
      },
      ...(hasPostgres ? onPostgres : []),
    ],
    // Nets, not measures: real servers and child processes take their time on a machine that is busy with other things.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 40_000 }, requireAssertions: true },
    // A test that leans on the one before it fails sooner or later; the seed is printed.
    // CI keeps to one order, so that a red build is red again.
    sequence: { shuffle: { tests: true }, ...(process.env.CI && { seed: 1 }) },
    maxWorkers: 2,
  },
});
