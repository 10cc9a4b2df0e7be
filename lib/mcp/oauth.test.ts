import { afterEach, expect, test, vi } from "vitest";
import type { SavedLogin } from "./oauth/login-store";
import { consent } from "./testing/consent";
import { listen } from "./testing/http-server";
import { TestLoginMemory } from "./testing/login-memory";
import { type ProtectedServer, startProtectedServer } from "./testing/oauth-server";
import { openPool, type TestPool, textOf } from "./testing/test-pool";

const redirectUrl = "http://127.0.0.1:3000/api/mcp/oauth/callback";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Setup extends TestPool {
  server: ProtectedServer;
  kept: Map<string, SavedLogin>;
  signIn(): Promise<void>;
}

async function setUp(oauth: Record<string, string> = {}): Promise<Setup> {
  const server = await startProtectedServer();
  closing.push(server.close);
  const memory = new TestLoginMemory();
  const pool = await openPool(
    { remote: { url: server.url, ...(Object.keys(oauth).length > 0 && { oauth }) } },
    {
      privateHosts: [new URL(server.issuer).host],
      logins: { redirectUrls: [redirectUrl], memory },
    },
  );
  closing.push(pool.close);
  const signIn = async () => {
    const page = await pool.pool.signIns.begin("remote", redirectUrl);
    expect(page.host).toBe(new URL(server.issuer).host);
    expect(await pool.pool.signIns.finish((await consent(page, redirectUrl)).searchParams)).toEqual({
      server: "remote",
    });
    await pool.ready("remote");
  };
  return { ...pool, server, kept: memory.kept, signIn };
}

/** Its tokens are worth nothing any more, and cannot be renewed. */
function spoil(kept: Map<string, SavedLogin>): void {
  const tokens = kept.get("remote")?.tokens;
  if (tokens) Object.assign(tokens, { access_token: "spoilt", refresh_token: "spoilt" });
}

test("a person signs in at a real authorization server; nothing is registered before", async () => {
  const { settled, server, kept, signIn, run, pool } = await setUp();
  expect(await settled("remote")).toMatchObject({
    status: "needs_login",
    lastError: { code: "login_required", message: "The server asks for a sign-in." },
    login: { signedIn: false, issuer: null },
  });
  expect(kept.get("remote")?.clients).toBeUndefined();
  await signIn();
  expect(pool.server("remote")?.login).toEqual({
    signedIn: true,
    issuer: server.issuer,
    signedInAt: expect.any(String),
    scope: expect.stringContaining("mcp:use"),
    privateHost: null,
  });
  expect(textOf((await run("remote__echo")).result)).toBe("over HTTP");
  const { access_token: token = "" } = kept.get("remote")?.tokens ?? {};
  expect(token).not.toBe("");
  expect(JSON.stringify([pool.list(), pool.logs("remote")])).not.toContain(token);
});

test("five calls that are refused at once renew the tokens once, though refresh tokens rotate", async () => {
  const { server, signIn, run, kept } = await setUp();
  await signIn();
  const before = kept.get("remote")?.tokens?.refresh_token;
  server.expire();
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // a token of the same second would be refused, too
  const results = await Promise.all([1, 2, 3, 4, 5].map(() => run("remote__echo")));
  expect(results.map(({ result }) => result.status)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  expect(server.grants).toEqual({ authorization_code: 1, refresh_token: 1 });
  expect(kept.get("remote")?.tokens?.refresh_token).not.toBe(before);
});

test("tokens that cannot be renewed end in a sign-in, which a call asks for", async () => {
  const { signIn, run, kept, until, pool } = await setUp();
  await signIn();
  const tools = pool.server("remote")?.tools;
  spoil(kept);
  const sent = await run("remote__echo");
  expect(sent.result).toEqual({ waiting: "awaiting_input" });
  const asked = { type: "input_request", mode: "url", reason: "login", server: "remote" };
  expect(sent.chunks).toMatchObject([{ type: "tool_start" }, asked]);
  await until(() => pool.server("remote")?.status === "needs_login");
  // What was accepted stays offered, and a call of it is not sent.
  expect(pool.server("remote")?.tools).toEqual(tools);
  expect((await run("remote__echo")).chunks).toMatchObject([asked]);
  const byHand = await pool.call("remote", "echo", {}, new AbortController().signal);
  expect(byHand).toMatchObject({ status: "error", reason: "not_run" });
  await signIn();
  expect((await run("remote__echo")).result.status).toBe("ok");
});

test("of a server that was signed out of nothing is offered, nor of one that nobody has signed in to", async () => {
  const { signIn, settled, until, pool } = await setUp();
  expect((await settled("remote")).tools).toEqual([]);
  await signIn();
  expect(pool.server("remote")?.tools).not.toEqual([]);
  await pool.signIns.forget("remote");
  await until(() => pool.server("remote")?.status === "needs_login");
  expect([pool.server("remote")?.tools, pool.tool("remote__echo")]).toEqual([[], undefined]);
  expect(pool.server("remote")?.login).toMatchObject({ signedIn: false, signedInAt: null });
});

test("an answer that nobody waits for is refused, and so is a second use of one", async () => {
  const { settled, pool, signIn, server } = await setUp();
  await settled("remote");
  await expect(pool.signIns.finish(new URLSearchParams({ state: "guessed", code: "x" }))).rejects.toThrow(
    "This sign-in expired",
  );
  const page = await pool.signIns.begin("remote", redirectUrl);
  const state = page.searchParams.get("state") ?? "";
  await pool.signIns.finish(new URLSearchParams({ state, error: "access_denied", iss: server.issuer }));
  expect(pool.server("remote")?.lastError?.message).toBe("The sign-in was declined.");
  await expect(pool.signIns.finish(new URLSearchParams({ state, code: "x" }))).rejects.toThrow(
    "This sign-in expired",
  );
  await signIn();
});

test("a server that tells the tokens it was sent is not heard: neither model nor log has them, and shares know them", async () => {
  const { signIn, run, kept, pool, server } = await setUp();
  await signIn();
  const tokens = [kept.get("remote")?.tokens];
  const told = (await run("remote__look")).result;
  expect(textOf(told)).toBe("DPoP ••••");
  server.expire();
  // A token of the second in which the others expired is refused too.
  await expect.poll(async () => (await run("remote__echo")).result.status, { timeout: 5_000 }).toBe("ok");
  expect(kept.get("remote")?.tokens).not.toEqual(tokens[0]);
  tokens.push(kept.get("remote")?.tokens);
  const refused = (await run("remote__look", { fail: true })).result;
  expect(textOf(refused)).toContain("••••");
  const known = pool.secrets();
  for (const { access_token = "", refresh_token = "" } of tokens.flatMap((one) => one ?? [])) {
    expect(known).toEqual(expect.arrayContaining([access_token, refresh_token]));
    expect(JSON.stringify([told, refused, pool.list(), pool.logs("remote")])).not.toContain(access_token);
  }
});

test("of three answers at once with one state, one is exchanged", async () => {
  const { settled, pool, server, ready } = await setUp();
  await settled("remote");
  const tokens = server.holdTokens();
  const { searchParams } = await consent(await pool.signIns.begin("remote", redirectUrl), redirectUrl);
  const answers = [1, 2, 3].map(() => pool.signIns.finish(searchParams));
  for (const late of answers.slice(1)) await expect(late).rejects.toThrow("This sign-in expired");
  await tokens.asked;
  tokens.letGo();
  expect(await answers[0]).toEqual({ server: "remote" });
  await ready("remote");
  expect(server.tokenRequests()).toBe(1);
});

test("a sign-in runs out after 15 minutes", async () => {
  const { settled, pool, kept, server } = await setUp();
  await settled("remote");
  const { searchParams } = await consent(await pool.signIns.begin("remote", redirectUrl), redirectUrl);
  const { pending } = kept.get("remote") ?? {};
  expect(pending?.expiresAt).toBeGreaterThan(Date.now() + 14 * 60_000);
  vi.useFakeTimers({ toFake: ["Date"], now: (pending?.expiresAt ?? 0) + 1 });
  try {
    await expect(pool.signIns.finish(searchParams)).rejects.toThrow("This sign-in expired");
  } finally {
    vi.useRealTimers();
  }
  expect(server.tokenRequests()).toBe(0);
});

test("the tokens of one address do not go to another that the entry names later", async () => {
  const { signIn, pool, kept, until, server } = await setUp();
  await signIn();
  const { access_token: token = "" } = kept.get("remote")?.tokens ?? {};
  const seen: string[] = [];
  const other = await listen((request, response) => {
    seen.push(request.headers.authorization ?? "");
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  });
  closing.push(other.close);
  expect(other.url).not.toBe(server.url);
  await pool.file.update("remote", { url: other.url });
  await pool.file.approve("remote", pool.server("remote")?.approvalHash ?? "");
  await until(() => pool.server("remote")?.status === "needs_login");
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.join()).not.toContain(token);
  expect(pool.server("remote")?.login?.signedIn).toBe(false);
});

test("signing out forgets the tokens; the client stays registered", async () => {
  const { signIn, pool, kept, until } = await setUp();
  await signIn();
  const { clients } = kept.get("remote") ?? {};
  await pool.signIns.forget("remote");
  await until(() => pool.server("remote")?.status === "needs_login");
  expect(kept.get("remote")?.tokens).toBeUndefined();
  expect(Object.keys(kept.get("remote")?.clients ?? {})).toHaveLength(1);
  await signIn();
  expect(kept.get("remote")?.clients).toEqual(clients);
});

test("a server that is removed takes its tokens along, also those that it is just being given", async () => {
  const { signIn, pool, kept, server, run } = await setUp();
  await signIn();
  server.expire();
  const tokens = server.holdTokens();
  const call = run("remote__echo");
  await tokens.asked;
  await pool.file.remove("remote");
  tokens.letGo();
  await call;
  await expect.poll(() => server.grants.refresh_token).toBe(1);
  // Answers that were sent before this one have been read.
  for (let again = 0; again < 3; again++) await (await fetch(`${server.issuer}/jwks`)).text();
  expect([...kept.keys()]).toEqual([]);
});

test("a server that takes no sign-in says why", async () => {
  const { pool } = await setUp();
  await expect(pool.signIns.begin("nobody", redirectUrl)).rejects.toThrow("There is no server called nobody");
});
