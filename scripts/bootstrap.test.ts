import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashSources } from "./build.mjs";
import { chooseNode, isNewEnough } from "./choose-node.mjs";
import { isInstalled } from "./install.mjs";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "meguri-bootstrap-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const lock = {
  packages: {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/for-here": {
      version: "1.0.0",
      optional: true,
      integrity: "sha512-b",
      os: process.platform,
      cpu: [process.arch],
    },
    "node_modules/for-elsewhere": { version: "1.0.0", optional: true, integrity: "sha512-c", os: ["plan9"] },
    "node_modules/not-offered": { version: "1.0.0", optional: true, os: [process.platform] },
  },
};
const installed = { "node_modules/a": { version: "1.0.0" }, "node_modules/for-here": { version: "1.0.0" } };

test("node_modules agrees with the lock when every package for this platform is there in its version", () => {
  write("node_modules/.package-lock.json", JSON.stringify({ packages: installed }));
  expect(isInstalled(root, lock)).toBe(true);
});

test.each([
  ["another version", { ...installed, "node_modules/a": { version: "1.0.1" } }],
  ["a missing package", { "node_modules/for-here": { version: "1.0.0" } }],
  ["a missing optional package for this platform", { "node_modules/a": { version: "1.0.0" } }],
  ["a package too many", { ...installed, "node_modules/b": { version: "1.0.0" } }],
])("%s asks for an installation", (_, packages) => {
  write("node_modules/.package-lock.json", JSON.stringify({ packages }));
  expect(isInstalled(root, lock)).toBe(false);
});

test("nothing installed asks for an installation", () => {
  expect(isInstalled(root, lock)).toBe(false);
});

test("the hash of the sources changes with their contents and names, not with tests and data", () => {
  write("app/page.tsx", "a");
  write("next.config.ts", "b");
  const first = hashSources(root);
  write("app/page.test.tsx", "test");
  write("lib/agent/testing/scripted.ts", "test");
  write("data/meguri.db", "data");
  write("mcp-servers.json", "{}");
  expect(hashSources(root)).toBe(first);

  write("app/page.tsx", "c");
  const changed = hashSources(root);
  write("app/deep/other.tsx", "c");
  const added = hashSources(root);
  write("next.config.ts", "d");
  expect(new Set([first, changed, added, hashSources(root)]).size).toBe(4);
});

test("Node 22.13 is the oldest that can run the server", () => {
  const versions = ["18.20.0", "20.20.2", "22.12.0", "22.13.0", "24.21.0", "26.0.0"];
  expect(versions.filter(isNewEnough)).toEqual(["22.13.0", "24.21.0", "26.0.0"]);
});

test("the pinned Node is put on npm's path when npm has not done so", () => {
  write(
    "package.json",
    JSON.stringify({ optionalDependencies: { "node-elsewhere": "24.0.0", "node-here": "24.0.0" } }),
  );
  write("node_modules/.bin/other", "");
  mkdirSync(join(root, "node_modules/node-here/bin"), { recursive: true });
  symlinkSync(process.execPath, join(root, "node_modules/node-here/bin/node"));
  expect(chooseNode(root)).toBe(join(root, "node_modules/node-here/bin/node"));
  expect(realpathSync(join(root, "node_modules/.bin/node"))).toBe(realpathSync(process.execPath));
});

test("a pinned Node that cannot run here is taken off npm's path, and the machine's own is used", () => {
  write("package.json", JSON.stringify({ optionalDependencies: { "node-here": "24.0.0" } }));
  write("node_modules/node-here/bin/node", "no program");
  write("node_modules/.bin/node", "no program");
  expect(chooseNode(root)).toBe(process.execPath);
  expect(existsSync(join(root, "node_modules/.bin/node"))).toBe(false);
});
