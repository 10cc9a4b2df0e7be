import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approvalHash } from "@/lib/mcp/config/launch";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import {
  localServer,
  newDatabase,
  poolOn,
  ready,
  seen,
  statusOf,
  twoPools,
} from "@/lib/server/testing/shared-pools";

const { perInstance: _, ...alone } = localServer;

test("a local server is off where instances share a database, unless its entry says that it may be there several times", async () => {
  const [a, b] = await twoPools({ plain: alone, off: { ...localServer, disabled: true } });
  for (const { pool } of [a, b])
    expect(pool.server("plain")).toMatchObject({
      ...{ status: "disabled", enabled: true, pid: null, tools: [] },
      lastError: {
        code: "per_instance",
        message: expect.stringMatching(/^plain .*over HTTP.*"perInstance": true/),
      },
    });
  expect(a.pool.server("off")).toMatchObject({ status: "disabled", enabled: false, lastError: null });
  // To start it by hand is no way round.
  await a.pool.restart("plain");
  expect(statusOf(a, "plain")).toBe("disabled");
  await b.pool.file.edit("plain", (stored) => ({ ...stored, perInstance: true }));
  // It was approved, as what is started is the same.
  await ready(b, "plain");
  await seen(() => expect(statusOf(a, "plain")).not.toBe("disabled"));
  await ready(a, "plain");
  await a.pool.file.edit("plain", ({ perInstance: __, ...stored }) => stored);
  await seen(() => expect(b.pool.server("plain")).toMatchObject({ status: "disabled", pid: null }));
  await a.pool.file.edit("plain", (stored) => ({ ...stored, disabled: true }));
  expect(a.pool.server("plain")).toMatchObject({ status: "disabled", enabled: false, lastError: null });
});

const entries: Record<string, McpServerConfig> = {
  here: localServer,
  inside: { ...localServer, cwd: "sandbox" },
  outside: { ...localServer, cwd: "/tmp" },
  remote: { url: "http://127.0.0.1:9/mcp", headers: { a: "b" } },
};
const hashes = (root: string | undefined) =>
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, approvalHash(entry, root)]));

test("an approval holds for every instance, whatever folder it is installed in; alone a moved one asks again", async () => {
  // What goes in where one process has the data for itself: the absolute folder of what is local.
  const [one, other] = [hashes("/opt/one"), hashes("/opt/other")];
  const moved = Object.keys(entries).filter((name) => one[name] !== other[name]);
  expect(moved).toEqual(["here", "inside"]);
  const form = { argv: ["node", "a.mjs"], env: {}, cwd: "/opt/one" };
  const hash = createHash("sha256")
    .update(JSON.stringify({ argv: form.argv, cwd: form.cwd, env: {} }))
    .digest("hex");
  expect(approvalHash({ command: "node", args: ["a.mjs"] }, "/opt/one")).toBe(hash);

  const url = await newDatabase();
  const root = join(process.cwd(), "lib", "..");
  const a = poolOn(url, entries, { root });
  await a.start();
  await ready(a, "here");
  const b = poolOn(url, {}, { root: "/nowhere/else", trustFile: false });
  await b.start();
  for (const name of Object.keys(entries)) {
    expect(statusOf(b, name), name).not.toBe("needs_approval");
    expect(b.pool.server(name)?.approvalHash).toBe(a.pool.server(name)?.approvalHash);
  }
  await b.pool.file.edit("inside", (stored) => ({ ...stored, cwd: "lib" }));
  expect(statusOf(b, "inside")).toBe("needs_approval");
});

test("what was approved before, in an absolute folder, is approved on", async () => {
  const url = await newDatabase();
  const a = poolOn(url, entries, { trustFile: false });
  for (const [name, hash] of Object.entries(hashes(process.cwd()))) await a.approvals.set(name, hash);
  await a.start();
  for (const name of Object.keys(entries)) expect(statusOf(a, name), name).not.toBe("needs_approval");
  const b = poolOn(url, {}, { trustFile: false, root: "/nowhere/else" });
  await b.start();
  expect(["here", "inside"].map((name) => statusOf(b, name))).toEqual(["needs_approval", "needs_approval"]);
});
