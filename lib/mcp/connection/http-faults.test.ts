import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, listen, type Meddler, streamable } from "@/lib/mcp/testing/http-server";
import { fixture, openPool, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const serve = async (answer: RequestListener): Promise<HttpServer> => {
  const server = await listen(answer);
  closing.push(server.close);
  return server;
};

/** A server that behaves as `meddle` says, and a healthy one next to it. */
async function start(meddle: Meddler, timeout = 20_000) {
  const { answer, calls } = streamable(404, meddle);
  const server = await serve(answer);
  const pool: TestPool = await openPool({ plain: fixture("plain"), remote: { url: server.url, timeout } });
  closing.push(pool.close);
  const { pid } = await pool.ready("plain");
  await pool.ready("remote");
  const undisturbed = async () => {
    expect(pool.pool.server("plain")).toMatchObject({ status: "ready", pid });
    expect(textOf((await pool.run("plain__echo")).result)).toBe("echo {}");
  };
  return { ...pool, server, calls, undisturbed };
}

test("a call that is not answered ends at its deadline", async () => {
  const { run, undisturbed } = await start(({ method }) => method === "tools/call", 300);
  const { result } = await run("remote__echo");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("remote did not answer within 0.3 s and was told to stop.");
  await undisturbed();
});

test("a server that compresses its answers in spite of all is named", async () => {
  const { run } = await start(({ method }, _request, response) => {
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })));
    return true;
  });
  expect(textOf((await run("remote__echo")).result)).toContain("Its answers are compressed (gzip)");
});

test("an answer whose stream stays open and silent ends at its deadline", async () => {
  const { run } = await start(({ method }, _request, response) => {
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return true;
  }, 300);
  expect((await run("remote__echo")).result.status).toBe("unknown");
});

test("a call that is cut off is sent once; a pinned read-only one twice", async () => {
  const asked: (string | undefined)[] = [];
  const { run, until, undisturbed } = await start(({ method, params }, request) => {
    if (method !== "tools/call") return false;
    const first = !asked.includes(params?.name);
    asked.push(params?.name);
    if (first) request.socket.destroy();
    return first;
  });
  const { result } = await run("remote__echo");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("The connection to remote broke while the call was on its way.");
  expect(asked).toEqual(["echo"]);
  await until((pool) => pool.server("remote")?.status === "ready");
  expect(textOf((await run("remote__look")).result)).toBe("over HTTP");
  expect(asked).toEqual(["echo", "look", "look"]);
  await undisturbed();
});

test("an answer whose stream ends without it is waited for no longer", async () => {
  const { run, pool } = await start(({ method, params }, _request, response) => {
    if (method !== "tools/call" || params?.name !== "echo") return false;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing more\n\n");
    return true;
  });
  const { result } = await run("remote__echo");
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe(
    "The connection to remote broke while the call was on its way (its answer was broken off).",
  );
  expect(pool.server("remote")?.status).toBe("ready");
  expect(textOf((await run("remote__look")).result)).toBe("over HTTP");
});

/** A server that answers each call of `echo` with these events, whole. */
const startEvents = (events: (id: unknown) => object[], more = "") =>
  start(({ id, method, params }, _request, response) => {
    if (method !== "tools/call" || params?.name !== "echo") return false;
    const text = events(id).map((event) => `event: message\ndata: ${JSON.stringify(event)}\n${more}\n`);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text.join(""));
    return true;
  });
const answer = (id: unknown, text = "whole") => ({
  ...{ jsonrpc: "2.0", id },
  result: { content: [{ type: "text", text }] },
});

test("an answer that comes whole, as one event or behind others, is the one that was asked for", async () => {
  const one = await startEvents((id) => [answer(id)]);
  expect(textOf((await one.run("remote__echo")).result)).toBe("whole");
  const resumable = await startEvents((id) => [answer(id, "with an id")], "id: 7\n");
  expect(textOf((await resumable.run("remote__echo")).result)).toBe("with an id");
  const told = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } };
  const several = await startEvents((id) => [told, answer(id, "after a notice")]);
  expect(textOf((await several.run("remote__echo")).result)).toBe("after a notice");
});

test("one event that is no answer to the call leaves it broken off", async () => {
  const others: ((id: unknown) => object)[] = [
    () => ({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } }),
    () => answer("another"),
    // A request of the server, which counts its own.
    (id) => ({ jsonrpc: "2.0", id, method: "ping" }),
  ];
  for (const other of others) {
    const { run } = await startEvents((id) => [other(id)]);
    expect(textOf((await run("remote__echo")).result)).toContain("its answer was broken off");
  }
});

test("a task's result whose stream ends without it is asked for once more", async () => {
  const asked: string[] = [];
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      serverInfo: { name: "tasks", version: "1.0.0" },
    },
    "tools/list": {
      tools: [{ name: "work", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }],
    },
    "tools/call": { task: { taskId: "task-1" } },
    "tasks/get": { taskId: "task-1", status: "completed" },
    "tasks/result": { content: [{ type: "text", text: "done" }] },
  };
  const { run, pool } = await start(({ id, method = "" }, _request, response) => {
    asked.push(method);
    const isCut = method === "tasks/result" && asked.filter((one) => one === method).length === 1;
    if (isCut) response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing more\n\n");
    else if (id === undefined) response.writeHead(method === "" ? 405 : 202).end();
    else {
      const answer = results[method]
        ? { result: results[method] }
        : { error: { code: -32601, message: "Method not found" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }
    return true;
  });
  const { result } = await run("remote__work");
  expect([result.status, textOf(result)]).toEqual(["ok", "done"]);
  expect(asked.filter((method) => /^(tools\/call|tasks\/)/.test(method))).toEqual([
    ...["tools/call", "tasks/get", "tasks/result"],
    ...["tasks/get", "tasks/result"],
  ]);
  expect(pool.server("remote")?.status).toBe("ready");
});

test.each(["application/json", "text/event-stream"])(
  "a result of 100 MB as %s is broken off",
  async (type) => {
    let written = 0;
    const { run, until, undisturbed, pool } = await start(({ id, method, params }, _request, response) => {
      if (method !== "tools/call" || params?.name !== "echo") return false;
      response.writeHead(200, { "content-type": type });
      response.write(
        `${type === "text/event-stream" ? "data: " : ""}{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`,
      );
      const piece = "x".repeat(64 * 1024);
      const go = () => {
        while (!response.destroyed && written < 100 * 1024 * 1024) {
          written += piece.length;
          if (!response.write(piece)) {
            response.once("drain", go);
            return;
          }
        }
        response.end('"}]}}\n\n');
      };
      go();
      return true;
    });
    const { result } = await run("remote__echo");
    expect(result.status).toBe("unknown");
    expect(textOf(result)).toMatch(/^The connection to remote broke while the call was on its way \(.+\)\.$/);
    const said = [textOf(result), ...pool.logs("remote").map(({ text }) => text)].join("\n");
    expect(said).toContain("The server sent a message of more than 10 MB.");
    expect(written).toBeLessThan(50 * 1024 * 1024);
    await until((pool) => pool.server("remote")?.status === "ready");
    expect(textOf((await run("remote__look")).result)).toBe("over HTTP");
    await undisturbed();
  },
);

test("a server that never says goodbye is replaced all the same", async () => {
  const { pool, until, run, server } = await start((_message, request) => request.method === "DELETE");
  await pool.restart("remote");
  expect(pool.server("remote")).toMatchObject({ status: "connecting", tools: [] });
  await until(() => pool.server("remote")?.status === "ready");
  expect(server.requests).toContain("DELETE /mcp");
  expect(textOf((await run("remote__echo")).result)).toBe("over HTTP");
});

test("a server whose own messages do not arrive any more is connected anew", async () => {
  let deaf = false;
  const streams: { destroy(): void }[] = [];
  const { pool, until } = await start((_message, request, response) => {
    if (request.method !== "GET") return false;
    if (deaf) {
      response.writeHead(502).end();
      return true;
    }
    streams.push(request.socket);
    return false;
  });
  await until(() => streams.length > 0);
  deaf = true;
  for (const stream of streams.splice(0)) stream.destroy();
  const { since } = pool.server("remote") ?? {};
  await until(() => {
    const server = pool.server("remote");
    return server?.status === "ready" && server.since !== since;
  });
  const said = pool.logs("remote").map(({ text }) => text);
  expect(said.filter((text) => text.startsWith("Connecting to"))).toHaveLength(2);
});
