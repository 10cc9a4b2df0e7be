import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { askedCall } from "@/lib/mcp/testing/asked-call";
import { listen } from "@/lib/mcp/testing/http-server";
import { fixture, openPool, root, type TestPool, textOf } from "@/lib/mcp/testing/test-pool";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { AskingCalls, UnclearCallError } from "./asking-calls";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const asking = { command: "node", args: [join(root, "lib/mcp/testing/asking-server.mjs")] };

async function start(servers: Record<string, McpServerConfig> = { desk: asking }) {
  const at = await openPool(servers);
  closing.push(at.close);
  await Promise.all(Object.keys(servers).map(at.ready));
  /** Resolves once the log of the server has this many lines with the text. */
  const logged = (text: string, count = 1) =>
    expect.poll(() => logOf(at, text), { timeout: 15_000, interval: 10 }).toHaveLength(count);
  return { ...at, logged, file: (name: string) => join(at.folder, name) };
}

const logOf = ({ pool }: Pick<TestPool, "pool">, text: string) =>
  pool.logs("desk").filter((line) => line.text.includes(text));
type Call = ReturnType<typeof askedCall>;
const questions = (call: Call) =>
  call.ofType("input_request").map((asked) => ("message" in asked ? asked.message : ""));
const text = (result: Awaited<ReturnType<Call["run"]>>) =>
  "content" in result ? textOf(result) : result.waiting;
const answer = async (call: Call, word: string) => {
  call.answer({ input: { action: "accept", content: { word } } });
  return text(await call.run());
};

test("a question is shown in the conversation whose call asked it, once the other call has ended", async () => {
  const { pool, logged, file } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A", after: file("go") } });
  const waitsForA = a.run();
  await logged("→ tools/call ask");
  const b = askedCall(pool, "desk__work", { args: { after: file("end") } });
  const ofB = b.run();
  await logged("→ tools/call work");
  await writeFile(file("go"), "");
  await logged("← elicitation/create");
  expect([...questions(a), ...questions(b)]).toEqual([]);

  await writeFile(file("end"), "");
  expect(text(await ofB)).toBe("worked");
  expect(await waitsForA).toEqual({ waiting: "awaiting_input" });
  expect(questions(a)).toEqual(["A word for A?"]);
  expect(await answer(a, "snow")).toBe("A: snow");
  expect(questions(b)).toEqual([]);
});

test("from its first question on a server gets one call at a time, and who waits loses no time", async () => {
  const { pool, logged, run } = await start({
    // Enough for an answer on a machine that does much else.
    desk: { ...asking, timeout: 1_000 },
    clock: { ...fixture("cancel"), timeout: 1_500 },
  });
  const a = askedCall(pool, "desk__ask", { args: { label: "A" } });
  expect(await a.run()).toEqual({ waiting: "awaiting_input" });
  const b = askedCall(pool, "desk__ask", { args: { label: "B" } });
  const ofB = b.run();
  // Longer than a call of the server may take.
  expect(textOf((await run("clock__endless")).result)).toContain("did not answer within 1.5 s");
  await logged("→ tools/call", 1);
  expect(questions(b)).toEqual([]);

  expect(await answer(a, "snow")).toBe("A: snow");
  expect(await ofB).toEqual({ waiting: "awaiting_input" });
  expect(await answer(b, "rain")).toBe("B: rain");
  expect([...questions(a), ...questions(b)]).toEqual(["A word for A?", "A word for B?"]);
});

test("calls that were on their way before the first question end before the next one is sent", async () => {
  const { pool, logged, file } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A", after: file("go") } });
  const ofA = a.run();
  const early = [1, 2].map(() => askedCall(pool, "desk__work", { args: { after: file("end") } }).run());
  await logged("→ tools/call", 3);
  await writeFile(file("go"), "");
  await logged("← elicitation/create");
  const late = askedCall(pool, "desk__work");
  const ofLate = late.run();
  await expect.poll(() => late.ofType("tool_start")).toHaveLength(1);
  await writeFile(file("end"), "");
  expect((await Promise.all(early)).map(text)).toEqual(["worked", "worked"]);
  expect(await ofA).toEqual({ waiting: "awaiting_input" });
  expect(await answer(a, "snow")).toBe("A: snow");
  expect(text(await ofLate)).toBe("worked");
  const sent = pool.logs("desk").map((line) => line.text);
  expect(sent.findLastIndex((line) => line.includes("→ tools/call"))).toBeGreaterThan(
    sent.findIndex((line) => line.includes("#question-1") && line.includes("→")),
  );
});

test("questions of two conversations at once, of which nobody can say whose they are, are shown in neither", async () => {
  const { pool, logged, file } = await start();
  const calls = ["A", "B"].map((label) =>
    askedCall(pool, "desk__ask", { args: { label, after: file("go") } }),
  );
  const results = calls.map((call) => call.run());
  await logged("→ tools/call", 2);
  await writeFile(file("go"), "");
  for (const result of results) expect(text(await result)).toContain("does not say which it is for");
  expect(calls.flatMap(questions)).toEqual([]);
});

test("the question of a call that was given up does not go to the call that is left", async () => {
  const { pool, logged, file } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A" } });
  const b = askedCall(pool, "desk__work", { args: { after: file("end") } });
  const ofB = b.run();
  await logged("→ tools/call work");
  const ofA = a.run();
  await logged("← elicitation/create");
  a.stop.abort();
  await ofA;
  await logged("→ error #question-1");
  await writeFile(file("end"), "");
  expect(text(await ofB)).toBe("worked");
  expect([...questions(a), ...questions(b)]).toEqual([]);
});

test("a question that may be about calls of two people reaches neither, also when one of the calls ends", async () => {
  const { pool, logged, file } = await start();
  const a = askedCall(pool, "desk__work", { args: { after: file("end") }, person: "ada" });
  const ofA = a.run();
  const b = askedCall(pool, "desk__ask", { args: { label: "B", after: file("go") }, person: "ben" });
  const ofB = b.run();
  await logged("→ tools/call", 2);
  await writeFile(file("go"), "");
  expect(text(await ofB)).toContain("does not say which it is for");
  await writeFile(file("end"), "");
  expect(text(await ofA)).toBe("worked");
  expect([...questions(a), ...questions(b)]).toEqual([]);

  // From then on there is one call at a time, so that it is clear.
  const [next, other] = ["ada", "ben"].map((person) =>
    askedCall(pool, "desk__ask", { args: { label: person }, person }),
  ) as [Call, Call];
  const [ofNext, ofOther] = [next.run(), other.run()];
  expect(await ofNext).toEqual({ waiting: "awaiting_input" });
  expect(await answer(next, "snow")).toBe("ada: snow");
  expect(await ofOther).toEqual({ waiting: "awaiting_input" });
  expect(await answer(other, "rain")).toBe("ben: rain");
});

test("after one person has given up a call, no question that names no call reaches another person", async () => {
  const { pool, logged, file } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A", after: file("go") }, person: "ada" });
  const ofA = a.run();
  await logged("→ tools/call ask");
  a.stop.abort();
  await ofA;
  const b = askedCall(pool, "desk__work", { args: { after: file("end") }, person: "ben" });
  const ofB = b.run();
  await logged("→ tools/call work");
  // This server goes on with what was cancelled.
  await writeFile(file("go"), "");
  await logged("→ error #question-1");
  await writeFile(file("end"), "");
  expect(text(await ofB)).toBe("worked");
  expect([...questions(a), ...questions(b)]).toEqual([]);
  // The one who gave it up is still asked.
  const again = askedCall(pool, "desk__ask", { args: { label: "A2" }, person: "ada" });
  expect(await again.run()).toEqual({ waiting: "awaiting_input" });
  expect(await answer(again, "snow")).toBe("A2: snow");
});

test("a call that waits for its turn can be stopped, is not sent then, and holds up nobody", async () => {
  const { pool, logged } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A" } });
  await a.run();
  const b = askedCall(pool, "desk__work");
  const c = askedCall(pool, "desk__work");
  const [ofB, ofC] = [b.run(), c.run()];
  await expect.poll(() => c.ofType("tool_start")).toHaveLength(1);
  b.stop.abort();
  expect(text(await ofB)).toBe("Not run: stopped before it was sent.");
  expect(await answer(a, "snow")).toBe("A: snow");
  expect(text(await ofC)).toBe("worked");
  await logged("→ tools/call", 2);
});

test("at most 100 calls wait for their turn", async () => {
  const { pool } = await start();
  const a = askedCall(pool, "desk__ask", { args: { label: "A" } });
  await a.run();
  const results = Array.from({ length: 101 }, () => askedCall(pool, "desk__work").run());
  expect(text(await Promise.race(results))).toContain("100 wait already");
  await answer(a, "snow");
  const texts = (await Promise.all(results)).map(text);
  expect(texts.filter((words) => words === "worked")).toHaveLength(100);
});

test("of 3,000 questions that a call asks at once a person gets ten, the others are refused, and it may ask again", async () => {
  const { pool, logged } = await start();
  const a = askedCall(pool, "desk__ask", { args: { times: 3_000 } });
  let result = await a.run();
  await logged("→ error #question-3000");
  const asked: string[] = [];
  for (; "waiting" in result; result = await a.run())
    for (const { requestId } of a.ofType("input_request").slice(asked.length)) {
      a.answer({ input: { action: "accept", content: { word: "snow" } } }, requestId);
      asked.push(requestId);
    }
  expect(asked).toHaveLength(11);
  const answers = [...Array(10).keys(), "later"].map((label) => `${label}: snow`);
  expect(text(result)).toBe(`2990 refused, then: ${answers}`);
});

test("a server that names the call by its progress token is asked in parallel", async () => {
  const { pool, logged } = await start();
  const [a, b] = ["A", "B"].map((label) =>
    askedCall(pool, "desk__ask", { args: { label, named: true } }),
  ) as [Call, Call];
  expect(await Promise.all([a.run(), b.run()])).toEqual(Array(2).fill({ waiting: "awaiting_input" }));
  await logged("→ tools/call", 2);
  expect([questions(a), questions(b)]).toEqual([["A word for A?"], ["A word for B?"]]);
  expect(await answer(a, "snow")).toBe("A: snow");
  expect(await answer(b, "rain")).toBe("B: rain");
});

test("over HTTP a question on the stream of its call reaches that call, and calls stay parallel", async () => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = await listen(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => "one",
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await askingServer().connect(transport as Parameters<McpServer["connect"]>[0]);
    return transport.handleRequest(request, response);
  });
  closing.push(server.close);
  const { pool, logged } = await start({ desk: { url: server.url } });
  const [a, b] = ["A", "B"].map((label) => askedCall(pool, "desk__ask", { args: { label } })) as [Call, Call];
  expect(await Promise.all([a.run(), b.run()])).toEqual(Array(2).fill({ waiting: "awaiting_input" }));
  await logged("→ tools/call", 2);
  expect([questions(a), questions(b)]).toEqual([["A word for A?"], ["A word for B?"]]);
  expect(await answer(b, "rain")).toBe("B: rain");
  expect(await answer(a, "snow")).toBe("A: snow");
});

function askingServer(): McpServer {
  const server = new McpServer({ name: "asking", version: "1.0.0" });
  const inputSchema = { label: z.string() };
  server.registerTool("ask", { inputSchema }, async ({ label }, { sendRequest }) => {
    const requestedSchema = { type: "object" as const, properties: { word: { type: "string" as const } } };
    const params = { mode: "form" as const, message: `A word for ${label}?`, requestedSchema };
    const { content } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return { content: [{ type: "text", text: `${label}: ${content?.word}` }] };
  });
  return server;
}

test("what a server asks while it answers a request of somebody that is no call reaches no call of another person", async () => {
  const calls = new AskingCalls();
  const [prompt, call] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { signal } = new AbortController();
  const listener = {
    ...{ person: "ben", run: {}, onWait: () => () => {}, onProgress: () => {} },
    onRequest: () => Promise.reject(new Error("nobody answers")),
  };
  const requested = calls.alongside("ada", signal, () => prompt.promise);
  const called = calls.run("1", { listener }, { signal, hasStream: false }, () => call.promise);
  await expect(calls.asker({})).rejects.toThrow(UnclearCallError);
  prompt.resolve();
  await requested;
  expect(await calls.asker({})).toBe(listener);
  call.resolve();
  await called;
});

test("what a server says without naming a call reaches one only while it is the only one", async () => {
  const calls = new AskingCalls();
  const { signal } = new AbortController();
  const begin = (person: string, token: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = {
      ...{ person, run: {}, onWait: () => () => {}, onProgress: () => {} },
      onRequest: () => Promise.reject(new Error("nobody answers")),
    };
    const called = calls.run(token, { listener }, { signal, hasStream: false }, () => promise);
    const end = () => {
      resolve();
      return called;
    };
    return { listener, end };
  };
  expect(calls.about({})).toBeUndefined();
  const first = begin("ada", "1");
  expect(calls.about({})).toBe(first.listener);
  expect(calls.about("no object")).toBe(first.listener);
  const second = begin("ada", "2");
  expect(calls.about({})).toBeUndefined();
  expect(calls.about({ _meta: { progressToken: "1" } })).toBe(first.listener);
  await first.end();
  expect(calls.about({})).toBe(second.listener);
  const listing = Promise.withResolvers<void>();
  const beside = calls.alongside("ben", signal, () => listing.promise);
  expect(calls.about({})).toBeUndefined();
  listing.resolve();
  await beside;
  expect(calls.about({})).toBe(second.listener);
  await second.end();
});
