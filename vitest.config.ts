import { defineConfig } from "vitest/config";

const tests = (rooms: string) => `${rooms}/**/*.test.{ts,tsx}`;
/** What is imported there holds nothing that one test file could leave to the next: to load it anew for each takes longer than its tests. */
const withoutState = tests(
  "{components,lib/agent,lib/client,lib/protocol,lib/providers,lib/server,lib/store}",
);
/** Our own modules are loaded anew for each file, and only the libraries are not: `begin-anew.ts`. */
const withState = tests("{app/api,lib/mcp,docs}");

export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    projects: [
      { extends: true, test: { name: "rooms without state", include: [withoutState], isolate: false } },
      {
        extends: true,
        test: {
          name: "rooms with state",
          include: [withState],
          isolate: false,
          setupFiles: "app/api/testing/begin-anew.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "the others",
          include: [tests("{lib,scripts,app,docs}")],
          exclude: ["**/node_modules/**", withoutState, withState],
        },
      },
    ],
    // Real servers and child processes take their time on a loaded machine.
    testTimeout: 30_000,
    expect: { poll: { timeout: 15_000 }, requireAssertions: true },
    // A test that leans on the one before it fails sooner or later; the seed is printed.
    // CI keeps to one order, so that a red build is red again.
    sequence: { shuffle: { tests: true }, ...(process.env.CI && { seed: 1 }) },
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
});
