import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, cut, fail, finish, hang, type Step, say, think } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { apiOf } from "../support/api";
import { type App, startApp } from "../support/app";
import { everythingOverStdio, startEverything } from "../support/everything";
import { chunksOf, endOf, logged, readStream, textOf } from "../support/follow-stream";
import { type Gated, makeGated } from "../support/gated";
import { expect, test } from "../support/server-test";

// One application with two model servers; a test names its script in its question.
test.describe.configure({ mode: "default" });

let app: App;
let api: ReturnType<typeof apiOf>;
let gemini: WireServer;
let openai: WireServer;
let everything: Awaited<ReturnType<typeof startEverything>>;
let gated: Gated;

/** What the model does, by question; each request of a turn takes the next steps, the last ones again after that. */
const scripts = new Map<string, Step[][]>();
const played = new Map<string, number>();

function play({ lastUserText }: WireRequest): Step[] {
  const turn = played.get(lastUserText) ?? 0;
  played.set(lastUserText, turn + 1);
  const script = scripts.get(lastUserText) ?? [];
  return script[turn] ?? script.at(-1) ?? [];
}

test.beforeAll(async () => {
  gated = makeGated();
  [gemini, openai, everything] = await Promise.all([
    startGeminiServer(play),
    startOpenAiServer(play),
    startEverything(),
  ]);
  app = await startApp({
    env: {
      GOOGLE_GENERATIVE_AI_API_KEY: "test-key-of-google",
      GOOGLE_GENERATIVE_AI_BASE_URL: gemini.url,
      OPENAI_API_KEY: "test-key-of-openai",
      OPENAI_BASE_URL: openai.url,
      TOOL_APPROVAL: "allow",
    },
    mcpConfig: {
      mcpServers: {
        near: everythingOverStdio,
        far: { type: "http", url: everything.url },
        gated: gated.config,
      },
    },
  });
  api = apiOf(app);
  await expect
    .poll(async () => (await api.servers()).items.map(({ status }) => status), { timeout: 20_000 })
    .toEqual(["ready", "ready", "ready"]);
});

test.afterAll(async () => {
  await app.kill9();
  await Promise.all([app.dispose(), gemini.close(), openai.close(), everything.end()]);
  gated.dispose();
});

const models = {
  google: { model: "google/test-model", server: () => gemini, tooLong: "MAX_TOKENS" },
  openai: { model: "openai/test-model", server: () => openai, tooLong: "length" },
};
const requestsOf = (server: WireServer, question: string) =>
  server.requests.filter(({ lastUserText }) => lastUserText === question);

/** Asks a question whose title in the script is the test's own. */
async function ask(question: string, script: Step[][], more: object = {}) {
  scripts.set(question, script);
  return api.ask(question, { model: models.openai.model, ...more });
}

for (const [provider, { model, server, tooLong }] of Object.entries(models)) {
  test(`${provider}: parallel calls go to real servers over both transports, and into the history`, async () => {
    const question = `${provider} calls tools`;
    const first = await ask(
      question,
      [
        [
          think("I need three tools.", { signature: "thought-0" }),
          callTools(
            { name: "near__echo", args: { message: "from near" }, id: "call_0", signature: "thought-1" },
            { name: "far__get-sum", args: { a: 40, b: 2 }, id: "call_1" },
            { name: "near__get-tiny-image", id: "call_2" },
          ),
        ],
        [say("All three answered.")],
      ],
      { model },
    );
    await first.closed;
    const end = endOf(first.events);
    expect(end).toMatchObject({ status: "completed", finalText: "All three answered.", iterationsUsed: 2 });
    expect(end.historyDelta.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    const results = chunksOf(first.events).flatMap((chunk) =>
      chunk.type === "tool_result" ? chunk.result : [],
    );
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    const files = results.flatMap(({ content }) => content.filter((part) => part.type === "file"));
    expect(files).toMatchObject([{ mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) }]);

    const [, second] = requestsOf(server(), question);
    expect(second?.toolResults.slice(0, 2).join()).toMatch(/from near.*42/s);
    expect(second?.tools).toEqual(expect.arrayContaining(["near__echo", "far__get-sum", "gated__work"]));
    if (provider === "google") expect(JSON.stringify(second?.body.contents)).toContain('"thought-1"');
    // The browser has no use for a signature, and sees none.
    expect(JSON.stringify(first.events)).not.toContain("thought-1");

    const { conversationId } = await api.run(first.runId);
    const follow = `${provider} goes on`;
    await (await ask(follow, [[say("Yes.")]], { model, conversationId })).closed;
    const body = JSON.stringify(requestsOf(server(), follow)[0]?.body);
    for (const part of [question, "from near", "42", "All three answered."]) expect(body).toContain(part);
  });

  test(`${provider}: a short 429 is waited for and seen, a long one ends the run at once`, async () => {
    const short = `${provider} is busy`;
    const busy = fail(429, "Slow down.", { headers: { "retry-after": "1" } });
    const waited = await ask(short, [[busy], [say("Now.")]], { model });
    await waited.closed;
    expect(endOf(waited.events)).toMatchObject({ status: "completed", finalText: "Now." });
    const notices = chunksOf(waited.events).filter((chunk) => chunk.type === "notice");
    expect(notices).toMatchObject([{ kind: "retry", message: expect.stringContaining("1.0 s") }]);
    expect(requestsOf(server(), short)).toHaveLength(2);

    const long = `${provider} is used up`;
    const used = fail(429, "Quota exceeded.", { headers: { "retry-after": "3600" } });
    const ended = await ask(long, [[used]], { model });
    await ended.closed;
    expect(endOf(ended.events)).toMatchObject({ status: "failed", error: { code: "rate_limited" } });
    expect(requestsOf(server(), long)).toHaveLength(1);
  });

  test(`${provider}: a server that fails is asked three times, a wrong key once, and both are said`, async () => {
    const question = `${provider} is down`;
    const down = await ask(question, [[fail(500, "Boom.")]], { model });
    await down.closed;
    const { status, error } = endOf(down.events);
    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringMatching(/.{15}/) });
    expect(requestsOf(server(), question)).toHaveLength(3);
    expect(await api.run(down.runId)).toMatchObject({ status: "failed", error });

    const locked = `${provider} wants a key`;
    const refused = await ask(locked, [[fail(401, `Wrong key test-key-of-${provider}.`)]], { model });
    await refused.closed;
    expect(endOf(refused.events)).toMatchObject({ status: "failed", error: { code: "auth" } });
    expect(requestsOf(server(), locked)).toHaveLength(1);
    expect(JSON.stringify(refused.events)).not.toContain("test-key-of-");
  });

  test(`${provider}: a cut stream and a full answer keep their text`, async () => {
    const broken = await ask(`${provider} is cut`, [[say("So far so good "), cut]], { model });
    await broken.closed;
    expect(endOf(broken.events)).toMatchObject({ status: "failed", finalText: "So far so good " });
    const { messages } = await api.conversation((await api.run(broken.runId)).conversationId);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[1]).toMatchObject({ parts: [{ type: "text", text: "So far so good " }] });

    const full = await ask(`${provider} is full`, [[say("As long as it may be"), finish(tooLong)]], {
      model,
    });
    await full.closed;
    expect(endOf(full.events)).toMatchObject({
      ...{ status: "completed", stopReason: "max_tokens", finalText: "As long as it may be" },
    });
  });

  test(`${provider}: Stop ends the run and the model's request`, async () => {
    const question = `${provider} hangs`;
    const live = await ask(question, [[say("Thinking "), hang]], { model });
    await live.until((events) => textOf(events) !== "");
    const request = requestsOf(server(), question)[0];
    await api.post(`/api/runs/${live.runId}/stop`);
    expect(await request?.ended).toBe("client gone");
    await live.closed;
    expect(endOf(live.events)).toMatchObject({
      ...{ status: "stopped", stopReason: "aborted", finalText: "Thinking " },
    });
    await api.post(`/api/runs/${live.runId}/stop`);
    expect((await api.run(live.runId)).status).toBe("stopped");
  });
}

test("Stop reaches the MCP server, and what a closed tab left goes on", async () => {
  const live = await ask("Work for long", [[callTools({ name: "gated__work" })], [say("Never.")]]);
  await expect.poll(() => gated.calls()).toEqual(["work"]);
  live.leave();
  await live.closed;
  expect((await api.run(live.runId)).status).toBe("running");
  const second = await api.follow(live.runId);
  await api.post(`/api/runs/${live.runId}/stop`);
  await expect.poll(() => gated.lines().filter(({ event }) => event === "cancelled").length).toBe(1);
  await second.closed;
  const { status, historyDelta } = endOf(second.events);
  expect(status).toBe("stopped");
  expect(historyDelta.at(-1)).toMatchObject({ role: "tool", results: [{ status: "unknown" }] });
  expect(requestsOf(openai, "Work for long")).toHaveLength(1);
});

test("timeoutMs ends a run that hangs, with what it has, and with its call", async () => {
  const slow = await ask("Hang on", [[say("Up to here "), hang]], { options: { timeoutMs: 1_000 } });
  await slow.closed;
  expect(endOf(slow.events)).toMatchObject({
    ...{ status: "completed", stopReason: "timeout", timedOut: true, finalText: "Up to here " },
  });
  const before = gated.lines().filter(({ event }) => event === "cancelled").length;
  const called = await ask("Hang in a call", [[callTools({ name: "gated__work" })]], {
    options: { timeoutMs: 1_000 },
  });
  await called.closed;
  expect(endOf(called.events)).toMatchObject({ stopReason: "timeout", timedOut: true });
  await expect.poll(() => gated.lines().filter(({ event }) => event === "cancelled").length).toBe(before + 1);
});

test("maxIterations ends a run that goes round, and resume goes on with a fresh limit", async () => {
  const echo = (message: string) => [callTools({ name: "near__echo", args: { message }, id: "" })];
  const round = await ask("Go round", [echo("one"), echo("two"), echo("three"), [say("Out.")]], {
    options: { maxIterations: 2 },
  });
  await round.closed;
  const end = endOf(round.events);
  expect(end).toMatchObject({ status: "completed", stopReason: "max_iterations", iterationsUsed: 2 });
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${round.runId}/resume`);
  const resumed = await api.replay(runId);
  expect(endOf(resumed.events)).toMatchObject({
    status: "completed",
    stopReason: "end_turn",
    finalText: "Out.",
  });
  const requests = requestsOf(openai, "Go round");
  expect(requests.map(({ toolResults }) => toolResults.length)).toEqual([0, 1, 2, 3]);
  const ids = [...end.historyDelta, ...endOf(resumed.events).historyDelta].flatMap((message) =>
    message.role === "tool" ? message.results.map(({ id }) => id) : [],
  );
  expect(new Set(ids).size).toBe(3);
  const refused = await api.send("POST", `/api/runs/${runId}/resume`, {});
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: "run_complete" } });
});

test("all readers get the same events, from wherever they begin", async () => {
  const words = "one two three four five six seven eight nine ten";
  const live = await ask("Count", [[say(words, { delayMs: 30 })]]);
  await live.until((events) => logged(events).length >= 3);
  const readers = await Promise.all([api.follow(live.runId), api.follow(live.runId, 2)]);
  await readers[0].until((events) => logged(events).length >= 5);
  readers[0].leave();
  await Promise.all([live.closed, ...readers.map(({ closed }) => closed)]);
  const all = logged(live.events);
  const partly = logged(readers[0].events);
  expect(partly).toEqual(all.slice(0, partly.length));
  expect(logged(readers[1].events)).toEqual(all.slice(2));
  const seq = partly.at(-1)?.id ?? 0;
  const again = await readStream(
    await app.fetch(`/api/runs/${live.runId}/stream`, { headers: { "last-event-id": String(seq) } }),
  );
  expect([...partly, ...logged(again.events)]).toEqual(all);
  const lines = (await (await app.fetch(`/api/runs/${live.runId}/events`)).text()).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).data)).toEqual(all.map(({ data }) => data));
  const beyond = await api.replay(live.runId, all.length + 5);
  expect(beyond.events.map(({ event }) => event).slice(0, 2)).toEqual(["run", "reset"]);
  expect(logged(beyond.events)).toEqual(all);
});

test("of two messages at once on one leaf one is answered, the other is refused and not stored", async () => {
  const first = await ask("Start", [[say("Begun.")]]);
  await first.closed;
  const { conversationId } = await api.run(first.runId);
  scripts.set("Left", [[say("a b c d", { delayMs: 100 })]]);
  scripts.set("Right", [[say("a b c d", { delayMs: 100 })]]);
  const { messages } = await api.conversation(conversationId);
  const live = await api.ask("Left", { conversationId, model: models.openai.model });
  const { messageId } = await api.run(live.runId);
  const second = await api.send("POST", "/api/chat", {
    message: { text: "Right" },
    ...{ conversationId, parentId: messageId, model: models.openai.model },
  });
  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({
    error: { code: "run_active", details: { runId: live.runId } },
  });
  await live.closed;
  expect((await api.conversation(conversationId)).messages).toHaveLength(messages.length + 2);
});

test("a message sent again after a regenerate attaches to the run it started", async () => {
  const body = { clientMessageId: "sent-once" };
  const first = await ask("Say it", [[say("First.")], [say("Second.")]], body);
  await first.closed;
  const { conversationId, messageId } = await api.run(first.runId);
  const regenerate = { conversationId, regenerate: messageId, model: models.openai.model };
  const second = await readStream(await api.send("POST", "/api/chat", regenerate));
  expect(endOf(second.events).finalText).toBe("Second.");
  const again = await api.ask("Say it", body);
  await again.closed;
  expect(again.events).toEqual(first.events);
  const refused = await api.send("POST", "/api/chat", { ...regenerate, ...body });
  expect(refused.status).toBe(400);
  expect(requestsOf(openai, "Say it")).toHaveLength(2);
});

test("deleting a conversation stops what runs in it, and its readers are told", async () => {
  const live = await ask("Run", [[say("Running "), hang]]);
  await live.until((events) => textOf(events) !== "");
  const { conversationId } = await api.run(live.runId);
  expect((await api.send("DELETE", `/api/conversations/${conversationId}`)).ok).toBe(true);
  expect(await requestsOf(openai, "Run")[0]?.ended).toBe("client gone");
  await live.closed;
  expect(endOf(live.events)).toMatchObject({ status: "stopped", stopReason: "aborted" });
  for (const path of [`/api/runs/${live.runId}/stream`, `/api/conversations/${conversationId}`])
    expect((await app.fetch(path)).status).toBe(404);
});

test("a model that is not there, or that has no key, is refused before anything is stored", async () => {
  const before = await api.get("/api/conversations");
  for (const model of ["nobody/nothing", "anthropic/claude"]) {
    const response = await api.send("POST", "/api/chat", { message: { text: "Hi" }, model });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "unknown_model" } });
  }
  expect(await api.get("/api/conversations")).toEqual(before);
});
