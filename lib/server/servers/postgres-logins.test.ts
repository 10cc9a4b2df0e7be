import { expect, onTestFinished, test, vi } from "vitest";
import { consent } from "@/lib/mcp/testing/consent";
import { startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import { openPool, type TestPool } from "@/lib/mcp/testing/test-pool";
import { readEnv } from "@/lib/server/env";
import { openBeside } from "@/lib/server/testing/open-beside";
import type { Process } from "@/lib/server/testing/world";
import { ask } from "@/lib/store/testing/postgres-server";
import { openLogins } from "./logins";

const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const secrets = { appSecret: "a secret of 32 characters or more", launchToken: "a token of the launch" };

/** Two processes with a connection each to a server whose refresh tokens can be used once: a second use ends the login. */
async function startTwo() {
  vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const beside = await openBeside();
  const server = await startProtectedServer();
  onTestFinished(() => server.close());
  const open = async ({ store }: Process): Promise<TestPool> => {
    const logins = openLogins({ env: readEnv({}), store, secrets });
    const pool = await openPool(
      { remote: { url: server.url } },
      { privateHosts: [new URL(server.issuer).host], logins },
    );
    onTestFinished(() => pool.close());
    return pool;
  };
  const one = await open(beside.one);
  await one.settled("remote");
  const other = await open(beside.other);
  await other.settled("remote");
  return { ...beside, server, pools: [one, other] as const };
}

/** Opened at the first one, and answered at the second. */
async function signIn([one, other]: readonly [TestPool, TestPool]): Promise<void> {
  const page = await one.pool.signIns.begin("remote", redirectUrl);
  const { searchParams } = await consent(page, redirectUrl);
  expect(await other.pool.signIns.finish(searchParams)).toEqual({ server: "remote" });
  await other.ready("remote");
  await one.pool.restart("remote");
  await one.ready("remote");
}

const call = async (pool: TestPool) => (await pool.run("remote__echo", { text: "hello" })).result.status;

test("a sign-in that begins at one process ends at another, and both use it", async () => {
  const { pools, server } = await startTwo();
  await signIn(pools);
  expect(await Promise.all(pools.map(call))).toEqual(["ok", "ok"]);
  expect(server.grants.authorization_code).toBe(1);
});

test("tokens that run out are renewed once for all processes, though refresh tokens rotate", async () => {
  const { pools, server } = await startTwo();
  await signIn(pools);
  for (let round = 1; round <= 2; round++) {
    server.expire();
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await Promise.all([...pools, ...pools].map(call))).toEqual(Array(4).fill("ok"));
    expect(server.grants.refresh_token).toBe(round);
  }
});

test("a process that stood still while another one renewed sends no token that is used up", async () => {
  const { pools, server, other, url } = await startTwo();
  await signIn(pools);
  server.expire();
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  // It has the lease and has read what is stored, and is about to ask for the address of the authorization server.
  const held = other.store.hold("settings.update");
  const late = call(pools[1]);
  await held.reached;
  const { id } = other.store.members;
  await ask(url, `delete from instance where id = '${id}'`);
  await expect.poll(() => other.store.members.id).not.toBe(id);
  expect(await call(pools[0])).toBe("ok");
  held.release();
  expect(await late).toBe("ok");
  expect(server.grants.refresh_token).toBe(1);
  expect(server.tokenRequests()).toBe(2);
});
