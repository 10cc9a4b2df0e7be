import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    include: ["{lib,components,scripts,app,docs}/**/*.test.{ts,tsx}"],
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
