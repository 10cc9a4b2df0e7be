import { vi } from "vitest";

/*
 * Runs before each test file of the API, of MCP and of the documents: they share a process, as to load their libraries takes
 * longer than most of their tests. Each loads our own modules again, in the environment that the process began with.
 */
vi.resetModules();
vi.useRealTimers();
const holder = globalThis as Record<symbol, unknown>;
const key = Symbol.for("meguri.test.environment");
holder[key] ??= { ...process.env };
const first = holder[key] as NodeJS.ProcessEnv;

for (const name of Object.keys(process.env)) if (!(name in first)) delete process.env[name];
Object.assign(process.env, first);
for (const name of ["deps", "streams", "runtime"]) delete holder[Symbol.for(`meguri.${name}`)];
