import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adopt } from "@/lib/server/entry/adopt";
import { getDeps } from "@/lib/server/entry/deps";
import { rotateSecret } from "@/lib/server/entry/rotate-secret";
import { callApi, withApplication } from "./testing/call-api";

const secret = "a secret of 32 characters or more";
withApplication({});

async function end(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
}

/** Starts again on the same database as another instance would, with an empty folder. */
async function start(env: Record<string, string | undefined>): Promise<unknown> {
  const dataDir = await mkdtemp(join(tmpdir(), "meguri-instance-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  Object.assign(process.env, { DATA_DIR: dataDir, ...env });
  for (const [name, value] of Object.entries(env)) if (value === undefined) delete process.env[name];
  return getDeps().catch((cause) => {
    delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
    return cause;
  });
}

const keyEnd = async () =>
  (await (await callApi("GET", "/api/settings")).json()).providers.find(
    ({ id }: { id: string }) => id === "google",
  ).keyEnd;

test("instances share a database, and each refuses a secret that the data was not written with, whatever its folder holds", async () => {
  await callApi("PATCH", "/api/settings", { providers: { google: { apiKey: "g-key-1234" } } });
  expect(existsSync(join(process.env.DATA_DIR ?? "", "secrets.json"))).toBe(false);
  await end();
  expect(await start({ APP_SECRET: "another secret of 32 characters or more" })).toMatchObject({
    name: "StartError",
    message: expect.stringContaining("is not the one that the stored data was written with"),
  });
  await start({ APP_SECRET: secret });
  expect(await keyEnd()).toBe("1234");
  expect(existsSync(join(process.env.DATA_DIR ?? "", "secrets.json"))).toBe(false);
  const { pool } = await getDeps();
  expect(pool.list().configPath).toBe("PostgreSQL: mcp-servers");
});

test.each([
  [
    "PUBLIC_URL",
    "local",
    /^PUBLIC_URL must be set as well, as DATABASE_URL is: .*https:\/\/meguri\.example\.com/,
  ],
  ["PUBLIC_URL", "accounts", /^PUBLIC_URL must be set as well/],
  ["LAUNCH_TOKEN", "local", /^LAUNCH_TOKEN must be set as well, .*`openssl rand -hex 24`/],
  ["APP_SECRET", "accounts", /^APP_SECRET must be set as well, .*`openssl rand -base64 32`/],
])("without %s and with AUTH=%s a start ends with what to do", async (name, auth, message) => {
  await end();
  const [before, authBefore] = [process.env[name], process.env.AUTH];
  expect(await start({ [name]: undefined, AUTH: auth })).toMatchObject({
    name: "StartError",
    message: expect.stringMatching(message),
  });
  await start({ [name]: before, AUTH: authBefore });
});

test("with accounts the first admin is let in by a token that each instance knows without being told", async () => {
  const before = process.env.LAUNCH_TOKEN;
  await end();
  const env = { AUTH: "accounts", LAUNCH_TOKEN: undefined };
  await start(env);
  const one = (await getDeps()).secrets.launchToken;
  await end();
  await start(env);
  const other = (await getDeps()).secrets.launchToken;
  expect([one.length, other]).toEqual([43, one]);
  await end();
  await start({ AUTH: "local", LAUNCH_TOKEN: before });
});

test("a secret is changed without a folder and without what a start needs beside", async () => {
  await callApi("PATCH", "/api/settings", { providers: { google: { apiKey: "g-key-1234" } } });
  await end();
  const next = "the next secret of 32 characters or more";
  const folder = join(tmpdir(), "meguri-none");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bare = { ...process.env, DATA_DIR: join(folder, "data"), PUBLIC_URL: "", LAUNCH_TOKEN: "" };
  const lines = await rotateSecret({ ...bare, NEW_APP_SECRET: next });
  expect(lines.join(" ")).toContain("Set APP_SECRET to the value of NEW_APP_SECRET now");
  await expect(adopt({ ...bare, APP_SECRET: next }, "a@example.com")).rejects.toThrow(
    /^There is no account with the address a@example\.com/,
  );
  expect(existsSync(join(folder, "data", "secrets.json"))).toBe(false);
  expect(await start({ APP_SECRET: secret })).toMatchObject({ name: "StartError" });
  await start({ APP_SECRET: next });
  expect(await keyEnd()).toBe("1234");
  await end();
  await rotateSecret({ ...bare, APP_SECRET: next, NEW_APP_SECRET: secret });
  await start({ APP_SECRET: secret });
});
