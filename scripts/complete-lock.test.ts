import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completeLock, missingOptional } from "./complete-lock.mjs";

interface LockEntry {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

function readLock(): { packages: Record<string, LockEntry> } {
  return JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
}

test("the lock has an entry for every optional platform package, so that npm ci accepts it", () => {
  expect(missingOptional(readLock())).toEqual([]);
});

test("the lock names no registry host", () => {
  const hosts = Object.entries(readLock().packages).filter(([, entry]) => entry.resolved !== undefined);
  expect(hosts).toEqual([]);
});

test("every package that is not optional has an integrity hash, and none runs an install script", () => {
  const entries = Object.entries(readLock().packages).filter(([path]) => path !== "");
  expect(entries.filter(([, entry]) => !entry.optional && entry.integrity === undefined)).toEqual([]);
  expect(entries.filter(([, entry]) => entry.hasInstallScript && !entry.optional)).toEqual([]);
});

test("a lock that lacks platform packages is completed with the platform read from the name", () => {
  const lock = completeLock({
    packages: {
      "": { name: "x" },
      "node_modules/@next/swc": {
        version: "1.0.0",
        dev: true,
        resolved: "https://registry.example/swc.tgz",
        optionalDependencies: {
          "@next/swc-linux-arm64-musl": "1.0.0",
          "@next/swc-win32-x64-msvc": "^1.0.0",
          "oxide-wasm32-wasi": "1.0.0",
          fsevents: "2.0.0",
        },
      },
      "node_modules/@next/swc/node_modules/fsevents": { version: "2.0.0", optional: true },
    },
  });
  expect(lock.packages).toEqual({
    "": { name: "x" },
    "node_modules/@next/swc": expect.not.objectContaining({ resolved: expect.anything() }),
    "node_modules/@next/swc-linux-arm64-musl": {
      version: "1.0.0",
      cpu: ["arm64"],
      libc: ["musl"],
      os: ["linux"],
      dev: true,
      optional: true,
    },
    "node_modules/@next/swc-win32-x64-msvc": {
      version: "1.0.0",
      cpu: ["x64"],
      os: ["win32"],
      dev: true,
      optional: true,
    },
    "node_modules/@next/swc/node_modules/fsevents": { version: "2.0.0", optional: true },
    "node_modules/oxide-wasm32-wasi": { version: "1.0.0", cpu: ["wasm32"], dev: true, optional: true },
  });
  expect(missingOptional(lock)).toEqual([]);
});
