import { vi } from "vitest";

/**
 * Runs before each test file: those of the API and of MCP share a process, as to load their libraries takes longer than most
 * of their tests. Each loads our own modules anew, in the environment that the process began with.
 */
vi.resetModules();
const holder = globalThis as Record<symbol, unknown>;
const key = Symbol.for("meguri.test.environment");
holder[key] ??= { ...process.env };
const first = holder[key] as NodeJS.ProcessEnv;

for (const name of Object.keys(process.env)) if (!(name in first)) delete process.env[name];
Object.assign(process.env, first);
delete holder[Symbol.for("meguri.deps")];
