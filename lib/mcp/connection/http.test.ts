import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, listen, sseOnly, streamable } from "@/lib/mcp/testing/http-server";
import { tellHeader } from "@/lib/mcp/testing/oauth-server";
import { openPool, root, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const start = async (...args: Parameters<typeof openPool>): Promise<TestPool> => {
  const pool = await openPool(...args);
  closing.push(pool.close);
  return pool;
};
const serve = async (...args: Parameters<typeof listen>): Promise<HttpServer> => {
  const server = await listen(...args);
  closing.push(server.close);
  return server;
};

test("server-everything over Streamable HTTP: connected, called, gone, found again", async () => {
  const { port, close } = await listen(() => {});
  await close();
  const everything = startEverything(port);
  const { ready, run, until, pool } = await start({
    everything: { type: "streamable-http", url: `http://127.0.0.1:${port}/mcp` },
  });
  expect(await ready("everything")).toMatchObject({ transport: "http", era: "legacy", pid: null });
  expect(textOf((await run("everything__echo", { message: "hi" })).result)).toBe("Echo: hi");
  const { chunks } = await run("everything__trigger-long-running-operation", { duration: 1, steps: 2 });
  expect(chunks.map((chunk) => chunk.type)).toEqual(["tool_start", "tool_progress", "tool_progress"]);

  everything.kill("SIGKILL");
  await once(everything, "exit");
  await until(() => pool.server("everything")?.status === "failed");
  expect(pool.server("everything")).toMatchObject({ tools: [], lastError: { code: "connection_refused" } });
  expect((await run("everything__echo", { message: "hi" })).result.status).toBe("error");
  startEverything(port);
  await ready("everything");
  expect(textOf((await run("everything__echo", { message: "again" })).result)).toBe("Echo: again");
});

test.each([404, 400] as const)(
  "a session lost with HTTP %i is replaced; the call was not run, a pinned read-only one is repeated",
  async (status) => {
    const fixture = streamable(status);
    const server = await serve(fixture.answer);
    const { ready, run, until, pool } = await start({ remote: { url: server.url } });
    await ready("remote");
    fixture.forget();
    const { result } = await run("remote__echo");
    expect(result.status).toBe("error");
    expect(textOf(result)).toBe("Not run: remote no longer knows the session. It is being connected again.");
    expect(fixture.calls()).toBe(0);
    await until(() => pool.server("remote")?.status === "ready");
    expect(textOf((await run("remote__echo")).result)).toBe("over HTTP");
    fixture.forget();
    expect(textOf((await run("remote__look")).result)).toBe("over HTTP");
    expect(fixture.calls()).toBe(2);
  },
);

test("closing says goodbye to the session", async () => {
  const server = await serve(streamable().answer);
  const { ready, pool } = await start({ remote: { type: "streamableHttp", url: server.url } });
  await ready("remote");
  await pool.close();
  expect(server.requests).toContain("DELETE /mcp");
});

test.each([undefined, "http", "sse"])("a server of 2024 is reached over SSE (type %s)", async (type) => {
  const server = await serve(sseOnly());
  const { ready, run } = await start({ old: { ...(type && { type }), url: server.url } });
  expect(await ready("old")).toMatchObject({ transport: "http", era: "legacy" });
  expect(textOf((await run("old__echo")).result)).toBe("over HTTP");
});

test("a server that tells the secrets of its entry is not heard: neither model nor log has them", async () => {
  const server = await serve(streamable(404, tellHeader).answer);
  const { ready, run, pool } = await start(
    {
      remote: {
        url: `${server.url}?api_key=key-of-the-address`,
        headers: { Authorization: `Bearer \${TOKEN}` },
      },
    },
    { env: { TOKEN: "token-of-the-header" } },
  );
  await ready("remote");
  const told = await run("remote__look");
  expect(textOf(told.result)).toBe("••••");
  const refused = await run("remote__look", { fail: true });
  expect(textOf(refused.result)).toContain("Refused: ••••");
  expect(JSON.stringify([told, refused, pool.list(), pool.logs("remote")])).not.toMatch(
    /-of-the-(?:header|address)/,
  );
});

test("a server that wants a sign-in says so, and with a token that the token is wrong", async () => {
  const server = await serve((_request, response) => response.writeHead(401).end());
  const { settled, pool } = await start({
    none: { url: server.url },
    wrong: { url: server.url, headers: { Authorization: "Bearer wrong-token-123" } },
  });
  expect(await settled("none")).toMatchObject({
    status: "needs_login",
    lastError: { code: "login_required" },
  });
  expect((await settled("none")).lastError?.message).toContain("add the header Authorization");
  expect((await settled("wrong")).lastError?.message).toContain(
    "refused the header Authorization (HTTP 401)",
  );
  expect(JSON.stringify([pool.list(), pool.logs("wrong")])).not.toContain("wrong-token-123");
});

test("what is no MCP server is called that, with the next step", async () => {
  const web = await serve((_request, response) => response.writeHead(404).end("not here"));
  const moved = await serve((_request, response) =>
    response.writeHead(302, { location: "http://127.0.0.1:9/elsewhere" }).end(),
  );
  const { settled } = await start({
    web: { url: web.url },
    moved: { url: moved.url },
    file: { url: "file:///etc/passwd" },
    user: { url: "http://me:secret@127.0.0.1:9/" },
  });
  expect((await settled("web")).lastError?.message).toContain("There is no MCP server at /mcp");
  expect((await settled("moved")).lastError?.message).toContain("redirects elsewhere (HTTP 302)");
  expect((await settled("file")).lastError?.message).toContain("only http: and https:");
  expect((await settled("user")).lastError?.message).toContain("user name or password");
  expect(moved.requests.every((request) => request.endsWith("/mcp"))).toBe(true);
});

test("an HTTP server that answers nothing is given up after the time to connect", async () => {
  const server = await serve(() => {});
  const { settled } = await start({ mute: { url: server.url } }, { tuning: { timeoutMs: 500 } });
  expect((await settled("mute")).lastError).toMatchObject({ code: "timeout" });
});

test("headers of the entry are sent, and to its own address only", async () => {
  const seen: (string | undefined)[] = [];
  const fixture = streamable();
  const server = await serve((request, response) => {
    seen.push(request.headers.authorization);
    fixture.answer(request, response);
  });
  const { ready } = await start(
    { remote: { url: server.url, headers: { Authorization: `Bearer \${REMOTE_TOKEN}` } } },
    { env: { REMOTE_TOKEN: "t-1" } },
  );
  await ready("remote");
  expect(new Set(seen)).toEqual(new Set(["Bearer t-1"]));
});

/** It listens on all interfaces, so it is closed with the test. */
function startEverything(port: number) {
  const child = spawn(
    process.execPath,
    [join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"],
    { env: { ...process.env, PORT: String(port) }, stdio: "ignore" },
  );
  closing.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return child;
}
