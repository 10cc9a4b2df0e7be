import { expect, test } from "vitest";
import { LoginStore } from "@/lib/mcp/oauth/login-store";
import { gated } from "@/lib/server/testing/gated-store";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { loginsOf, openLogins } from "./logins";

const url = new URL("https://mcp.example/");

test("two processes that change a login at once keep both changes, sealed, and one of them takes the sign-in", async () => {
  const store = await openTempStore();
  const start = async () => {
    const own = gated(store);
    const env = { PUBLIC_URL: undefined, PORT: 3000 } as never;
    const { memory } = openLogins({
      env,
      store: own,
      secrets: { appSecret: "s".repeat(32), launchToken: "" },
    });
    const login = new LoginStore(memory, "crm", url);
    await login.load();
    return { store: own, memory, login };
  };
  const pending = { state: "s", codeVerifier: "v", redirectUrl: "http://127.0.0.1/", expiresAt: Date.now() };
  await (await start()).login.change({ pending });
  const both = [await start(), await start()] as const;
  const held = both.map((process) => process.store.hold("settings.update"));
  const [one, other] = both.map(({ login }) => login) as [LoginStore, LoginStore];
  const taken = Promise.all([one.takePending("s"), other.takePending("s")]);
  const changed = Promise.all([one.change({ wantedScope: "read" }), other.change({ discovery: undefined })]);
  await Promise.all(held.map(({ reached }) => reached));
  for (const { release } of held) release();
  expect(await taken).toEqual([pending, undefined]);
  await changed;
  await other.change({ tokens: { access_token: "their token", token_type: "Bearer" } });
  const { memory } = both[0];
  const tokens = { access_token: "their token", token_type: "Bearer" };
  expect(await memory.get("crm")).toEqual({ url: url.href, wantedScope: "read", tokens });
  expect(await store.settings.get("system", "mcp-login:crm")).not.toContain("their token");
  await memory.delete("crm");
  expect(await memory.get("crm")).toBeUndefined();
});

test("the sign-in of one person opens for nobody else, also where its row is moved to them", async () => {
  const store = await openTempStore();
  const deps = { store, secrets: { appSecret: "s".repeat(32), launchToken: "" } };
  const tokens = { access_token: "the token of Ben", token_type: "Bearer" };
  await loginsOf(deps, "ben").update("crm", () => ({ url: url.href, tokens }));
  const row = await store.settings.get<string>("ben", "mcp-login:crm");
  for (const [owner, server] of [
    ["cleo", "crm"],
    ["system", "crm"],
    ["ben", "mail"],
  ] as const) {
    await store.settings.set(owner, `mcp-login:${server}`, row);
    expect(await loginsOf(deps, owner).get(server)).toBeUndefined();
  }
  expect(await loginsOf(deps, "ben").get("crm")).toMatchObject({ tokens });
});
