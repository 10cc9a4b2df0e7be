import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ended, text } from "@/lib/agent/testing/scripted";
import { answerText } from "@/lib/client/run/run-view";
import { runItem } from "@/lib/client/run/testing/run-item";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ConversationDetail } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { encodeEvent, heartbeat, type StreamEvent } from "@/lib/protocol/sse";
import { ChatStore } from "./chat-store";
import type { ConversationState } from "./conversation-state";
import { loadRunCode } from "./run-code";

/** The API as far as one conversation needs it; each test says what its routes answer. */
type Route = (request: {
  query: URLSearchParams;
  body: Record<string, unknown>;
  response: ServerResponse;
}) => unknown;
let routes: Record<string, Route>;
let calls: string[];
let server: Server;
const realFetch = globalThis.fetch;

beforeEach(async () => {
  calls = [];
  server = createServer(async (request, response) => {
    const [path, query] = request.url?.split("?") ?? [];
    const name = `${request.method} ${path}`;
    calls.push(name);
    const answer = await routes[name]?.({
      query: new URLSearchParams(query),
      body: await readBody(request),
      response,
    });
    if (answer !== undefined)
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    else if (!response.headersSent) response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // In a browser the page's own address stands before every path.
  globalThis.fetch = (path, init) => realFetch(`${base}${path}`, init);
});

afterEach(async () => {
  globalThis.fetch = realFetch;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const options = { servers: null };

it("shows a question at once and its answer as it comes, under one key from first to last", async () => {
  routes = {
    "POST /api/chat": ({ response }) => stream(response, "r1", text("4"), ended("end_turn")),
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "2+2?")], runs: [run] }),
  };
  const chat = new ChatStore(null);
  const created: string[] = [];
  chat.conversation.onCreated = (id) => created.push(id);
  const sent = chat.send("2+2?", options);
  const [first] = chat.conversation.getState().turns;
  expect(first?.question).toMatchObject({ id: null, text: "2+2?" });
  expect(await sent).toBe(true);
  const state = await until(
    chat,
    ({ liveRunId, turns }) => liveRunId === null && turns[0]?.question?.id === "m1",
  );
  expect(state.turns.map(({ key }) => key)).toEqual([first?.key]);
  expect(answer(state)).toEqual(["4", "completed"]);
  expect(created).toEqual(["c1"]);
});

it("shows what was fetched last, also when an earlier fetch is answered after it", async () => {
  const first = Promise.withResolvers<void>();
  let fetched = 0;
  routes = {
    "GET /api/conversations/c1": async () => {
      const title = fetched++ === 0 ? "Before" : "After";
      if (title === "Before") await first.promise;
      return detail({ title, messages: [question("m1", "hi")], runs: [run] });
    },
  };
  const { conversation } = new ChatStore("c1");
  const early = conversation.refresh();
  await expect.poll(() => fetched).toBe(1);
  await conversation.refresh();
  first.resolve();
  await early;
  expect(conversation.getState().title).toBe("After");
});

it("shows that a plan was taken back while everything that is asked stays open", async () => {
  const asks = { ...run, status: "waiting" as const, stopReason: "awaiting_approval" as const };
  let isTakenBack = false;
  routes = {
    "GET /api/conversations/c1": () => {
      const answers: (typeof asks)["answers"] = isTakenBack
        ? [{ type: "answer", requestId: "x", answer: { takesBack: "plan" } }]
        : [];
      return detail({ messages: [question("m1", "hi")], runs: [{ ...asks, answers }] });
    },
  };
  const { conversation } = new ChatStore("c1");
  const takenBack = () => conversation.getState().turns[0]?.answer?.view.takenBack;
  await conversation.refresh();
  expect(takenBack()).toEqual([]);
  isTakenBack = true;
  await conversation.refresh();
  expect(takenBack()).toEqual(["plan"]);
});

it("shows the agent of a question at once, while its answer comes and afterwards", async () => {
  const stored = { messages: [question("m1", "hi")], runs: [{ ...run, agent: "critic" }] };
  routes = {
    "POST /api/chat": ({ body, response }) => {
      expect(body.agent).toBe("critic");
      return stream(response, "r1", text("4"), ended("end_turn"));
    },
    "GET /api/conversations/c1": () => detail(stored),
  };
  const chat = new ChatStore(null);
  const agents = new Set<string | null | undefined>();
  chat.conversation.subscribe(() => agents.add(chat.conversation.getState().turns[0]?.answer?.agent));
  await chat.send("hi", { ...options, agent: "critic" });
  await until(chat, ({ liveRunId, turns }) => liveRunId === null && turns[0]?.question?.id === "m1");
  expect([...agents]).toEqual(["critic"]);

  const reloaded = new ChatStore("c1");
  await reloaded.conversation.refresh();
  expect(reloaded.conversation.getState().turns[0]?.answer?.agent).toBe("critic");
});

it("shows the agent of an answer that another tab has asked for", async () => {
  const going = {
    ...run,
    id: "r9",
    agent: "critic",
    status: "running" as const,
    stopReason: null,
    endedAt: null,
  };
  routes = {
    "GET /api/conversations/c1": () =>
      detail({ messages: [question("m1", "hi")], runs: [going], activeRunId: "r9" }),
    "GET /api/runs/r9/stream": ({ response }) => stream(response, "r9", text("from there")),
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  const state = await until(chat, ({ turns }) => turns[0]?.answer?.view.loops.length === 1);
  expect(state.turns[0]?.answer?.agent).toBe("critic");
  chat.conversation.detach();
});

it("goes on after the last event that the page has brought along, and never shows less", async () => {
  const after: unknown[] = [];
  routes = {
    "GET /api/runs/r9/stream": ({ response }) => {
      after.push(response.req.headers["last-event-id"]);
      return streamFrom(response, "r9", 2, text("three."), ended("end_turn"));
    },
    "GET /api/conversations/c1": () =>
      detail({ messages: [question("m1", "hi"), said("m2", "m1", "One two three.")], runs: [run] }),
  };
  const chat = new ChatStore("c1");
  const opened = broughtAlong();
  chat.conversation.bring(opened, await loadRunCode());
  expect(chat.conversation.getUnread()).toBe(chat.conversation.getState());
  expect(chat.conversation.getState()).toMatchObject({ phase: "ready", liveRunId: "r9" });
  const seen: string[] = [];
  const look = () => seen.push(answer(chat.conversation.getState())?.[0] ?? "");
  look();
  chat.conversation.subscribe(look);
  chat.conversation.goOn(opened, await loadRunCode());
  await until(chat, ({ liveRunId }) => liveRunId === null);
  expect(after).toEqual(["2"]);
  expect(seen[0]).toBe("One two ");
  expect(seen.filter((words) => !words.startsWith("One two "))).toEqual([]);
  expect(seen.at(-1)).toBe("One two three.");
});

it("fetches what has become of a run that the page has brought along and that cannot be read any more", async () => {
  routes = {
    "GET /api/conversations/c1": () =>
      detail({ messages: [question("m1", "hi"), said("m2", "m1", "Done.")], runs: [run] }),
  };
  const chat = new ChatStore("c1");
  const opened = broughtAlong();
  chat.conversation.bring(opened, await loadRunCode());
  chat.conversation.goOn(opened, await loadRunCode());
  const state = await until(chat, (now) => answer(now)?.[0] === "Done.");
  expect(state.liveRunId).toBeNull();
});

it("begins a conversation with its assistant, and later leaves it to what the server has", async () => {
  const named: unknown[] = [];
  routes = {
    "POST /api/chat": ({ body, response }) => {
      named.push(body.assistant);
      return stream(response, "r1", text("4"), ended("end_turn"));
    },
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "hi")], runs: [run] }),
  };
  const chat = new ChatStore(null);
  await chat.changes.choose({ servers: null, deferred: {}, assistant: "a1" });
  for (let at = 0; at < 2; at++) {
    await chat.send("hi", { ...options, assistant: "a1" });
    await until(chat, ({ liveRunId, turns }) => liveRunId === null && turns[0]?.question?.id === "m1");
  }
  expect(named).toEqual(["a1", undefined]);
});

it("begins in its project, and later messages do not name it", async () => {
  const named: unknown[] = [];
  routes = {
    "POST /api/chat": ({ body, response }) => {
      named.push(body.projectId);
      return stream(response, "r1", text("4"), ended("end_turn"));
    },
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "hi")], runs: [run] }),
  };
  const chat = new ChatStore(null);
  for (let at = 0; at < 2; at++) {
    await chat.send("hi", { ...options, projectId: "p1" });
    await until(chat, ({ liveRunId, turns }) => liveRunId === null && turns[0]?.question?.id === "m1");
  }
  expect(named).toEqual(["p1", undefined]);
});

it("asks only when the assistant that was chosen before is stored", async () => {
  let store = () => {};
  const isStored = new Promise<void>((resolve) => (store = resolve));
  let choice: unknown;
  routes = {
    "PATCH /api/conversations/c1": async ({ body }) => {
      await isStored;
      choice = body.choice;
      return {};
    },
    "POST /api/chat": ({ response }) => {
      expect(choice).toEqual({ servers: null, deferred: {}, assistant: "a1" });
      return stream(response, "r1", text("4"), ended("end_turn"));
    },
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "hi")], runs: [run] }),
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  void chat.changes.choose({ servers: null, deferred: {}, assistant: "a1" });
  const sent = chat.send("hi", options);
  await expect.poll(() => calls.includes("PATCH /api/conversations/c1")).toBe(true);
  store();
  expect(await sent).toBe(true);
  await until(chat, ({ liveRunId }) => liveRunId === null);
});

it("takes a question back that could not be sent, and sends it again under the same id", async () => {
  const ids: unknown[] = [];
  let broken = true;
  routes = {
    "POST /api/chat": ({ body, response }) => {
      ids.push(body.clientMessageId);
      if (!broken) return stream(response, "r1", ended("end_turn"));
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "run_active", message: "Wait for the answer." } }));
    },
    "GET /api/conversations/c1": () => detail({}),
  };
  const chat = new ChatStore(null);
  expect(await chat.send("hello", options)).toBe(false);
  expect(chat.conversation.getState()).toMatchObject({
    turns: [],
    failure: { message: "Wait for the answer." },
    phase: "new",
  });
  broken = false;
  expect(await chat.send("hello", options)).toBe(true);
  expect(ids).toEqual([ids[0], ids[0]]);
});

it("attaches to the run that another tab has started", async () => {
  routes = {
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "hi")], activeRunId: "r9" }),
    "GET /api/runs/r9/stream": ({ response }) => stream(response, "r9", text("from there")),
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  const state = await until(chat, ({ turns }) => turns[0]?.answer?.view.loops.length === 1);
  expect(state.liveRunId).toBe("r9");
  expect(answer(state)).toEqual(["from there", "running"]);
  chat.conversation.detach();
  expect(chat.conversation.getState().liveRunId).toBeNull();
});

it("goes on with the log where it stood when it is wanted again", async () => {
  const after: unknown[] = [];
  routes = {
    "GET /api/conversations/c1": () => detail({ messages: [question("m1", "hi")], activeRunId: "r9" }),
    "GET /api/runs/r9/stream": ({ response }) => {
      after.push(response.req.headers["last-event-id"]);
      return after.length === 1
        ? stream(response, "r9", text("one "))
        : streamFrom(response, "r9", 1, text("two"), ended("end_turn"));
    },
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  await until(chat, ({ turns }) => turns[0]?.answer?.view.loops.length === 1);
  chat.conversation.detach();
  await chat.conversation.refresh();
  const state = await until(chat, ({ turns }) => turns[0]?.answer?.view.status === "completed");
  expect(answer(state)).toEqual(["one two", "completed"]);
  expect(after).toEqual([undefined, "1"]);
});

it("stops a run whose number is not known yet as soon as it is", async () => {
  const opened = Promise.withResolvers<void>();
  routes = {
    "POST /api/chat": async ({ response }) => {
      await opened.promise;
      return stream(response, "r1");
    },
    "POST /api/runs/r1/stop": () => ({}),
    "GET /api/conversations/c1": () => detail({ activeRunId: "r1" }),
  };
  const chat = new ChatStore("c1");
  const sent = chat.send("long", options);
  await chat.stop();
  expect(calls).not.toContain("POST /api/runs/r1/stop");
  opened.resolve();
  await sent;
  await expect.poll(() => calls).toContain("POST /api/runs/r1/stop");
  chat.conversation.detach();
});

it("follows the run of the next queued message from the end of the one before, as if nothing had stopped", async () => {
  const ends = Promise.withResolvers<void>();
  const second = { ...run, id: "r2", messageId: "m3", status: "running" as const, stopReason: null };
  let asked = false;
  routes = {
    "POST /api/chat": async ({ response }) => {
      streamFrom(response, "r1", 0, text("4"));
      await ends.promise;
      asked = true;
      response.write(encodeEvent({ event: "result", id: 2, data: ended("end_turn") }));
      response.end(encodeEvent({ event: "end", data: { status: "completed", next: "r2" } }));
    },
    "GET /api/conversations/c1": () =>
      asked
        ? detail({
            messages: [
              question("m1", "2+2?"),
              said("m2", "m1", "4"),
              { ...question("m3", "3+3?"), parentId: "m2" },
            ],
            runs: [run, second],
            activeRunId: "r2",
          })
        : detail({ messages: [question("m1", "2+2?")], runs: [run], activeRunId: "r1" }),
    "GET /api/runs/r1/messages": () => ({
      items: asked ? [] : [{ id: "m3", text: "3+3?", attachments: [], when: "after", createdAt: at }],
      nextCursor: null,
    }),
    "GET /api/runs/r2/messages": () => ({ items: [], nextCursor: null }),
    "GET /api/runs/r2/stream": ({ response }) => streamOf(response, "r2", "m3", text("6")),
  };
  const chat = new ChatStore("c1");
  await chat.send("2+2?", options);
  await until(chat, ({ queue }) => queue.lines.length === 1);
  const seen: (string | null)[] = [];
  chat.conversation.subscribe(() => seen.push(chat.conversation.getState().liveRunId));
  ends.resolve();
  const state = await until(chat, (now) => answer(now)?.[0] === "6");
  expect(state.turns.map(({ question }) => question?.text)).toEqual(["2+2?", "3+3?"]);
  expect(state.queue.lines).toEqual([]);
  expect(seen).not.toContain(null);
  chat.conversation.detach();
});

it("leaves a run that writes another version of what is shown, and follows the one that writes this", async () => {
  const going = { ...run, status: "running" as const, stopReason: null, endedAt: null };
  let active: string | null = "r1";
  routes = {
    "POST /api/chat": ({ response }) => stream(response, "r1", text("Old")),
    "GET /api/conversations/c1": () =>
      detail({
        messages: [
          question("m1", "2+2?"),
          ...(active === "r1" ? [] : [{ ...said("m2", "m1", "Kept."), runId: null }]),
        ],
        runs: active === null ? [] : [{ ...going, id: active }],
        activeRunId: active,
      }),
    "GET /api/runs/r2/stream": ({ response }) => stream(response, "r2", text("New")),
  };
  const chat = new ChatStore("c1");
  await chat.send("2+2?", options);
  await until(chat, (now) => answer(now)?.[0] === "Old" && now.turns[0]?.question?.id === "m1");
  // It was forked in another tab.
  active = null;
  await chat.conversation.refresh();
  const state = chat.conversation.getState();
  expect([state.liveRunId, answer(state)?.[0]]).toEqual([null, "Kept."]);
  active = "r2";
  await chat.conversation.refresh();
  await until(chat, (now) => now.liveRunId === "r2" && (answer(now)?.[0] ?? "").includes("New"));
  chat.conversation.detach();
});

it("goes on in a fork from its copies, not from the answer that it was forked from", async () => {
  const call = { type: "tool_call" as const, id: "a" as ToolCallId, name: "s__t", args: {} };
  const result = { id: call.id, status: "ok" as const, content: [] };
  const turn = [
    { type: "iteration", index: 1 },
    { type: "tool_call", call },
  ] as const;
  const asked = { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1 } as const;
  const had = { type: "tool_result", result, durationMs: 1 } as const;
  const next = { type: "iteration", index: 2 } as const;
  const forkedFrom = { runId: "r1", seq: 4 };
  const copies: ConversationDetail["messages"] = [
    { ...said("m2", "m1", ""), role: "assistant", parts: [call] },
    { ...said("m3", "m2", ""), role: "tool", results: [{ ...result, by: "person" as const }] },
  ];
  const fork = { ...run, ...{ id: "r2", parentId: "m3", status: "running" as const, stopReason: null } };
  let isForked = false;
  routes = {
    "POST /api/chat": ({ response }) =>
      stream(response, "r1", ...turn, asked, had, next, text("Old"), ended("end_turn")),
    "GET /api/conversations/c1": () =>
      isForked
        ? detail({
            messages: [question("m1", "2+2?"), ...copies],
            runs: [run, { ...fork, forkedFrom: { ...forkedFrom, edit: null } }],
            activeRunId: "r2",
          })
        : detail({ messages: [question("m1", "2+2?")], runs: [run] }),
    "GET /api/runs/r2/stream": ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const begun = { runId: "r2", conversationId: "c1", messageId: "m1", seq: 0, forkedFrom };
      response.write(encodeEvent({ event: "run", data: begun }));
      response.write(encodeEvent({ event: "chunk", id: 1, data: next }));
      response.write(encodeEvent({ event: "chunk", id: 2, data: text("New") }));
    },
  };
  const chat = new ChatStore("c1");
  await chat.send("2+2?", options);
  await until(chat, (now) => answer(now)?.[0] === "Old" && now.liveRunId === null);
  isForked = true;
  await chat.conversation.refresh();
  const state = await until(chat, (now) => (answer(now)?.[0] ?? "").includes("New"));
  expect(state.turns.at(-1)?.answer?.view.loops.map(({ items, runId }) => [runId, ...items])).toMatchObject([
    ["r1", { kind: "tool", result: { by: "person" } }],
    ["r2", { kind: "text", text: "New" }],
  ]);
  chat.conversation.detach();
});

it("asks what can follow no answer any more, under the id that it had", async () => {
  const sent: unknown[] = [];
  routes = {
    "GET /api/conversations/c1": () =>
      detail({
        messages: [question("m1", "2+2?")],
        runs: [{ ...run, status: "stopped", stopReason: "aborted" }],
      }),
    "POST /api/runs/r1/messages": ({ body, response }) => {
      sent.push(body.clientMessageId);
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "run_ended", message: "It has ended." } }));
    },
    "POST /api/chat": ({ body, response }) => {
      sent.push(body.clientMessageId);
      return stream(response, "r2", text("6"), ended("end_turn"));
    },
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  expect(await chat.say("after", "3+3?", async () => options)).toBe(true);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toBe(sent[1]);
});

it("leaves the words to the caller when the code of the queue cannot be fetched", async () => {
  const chat = new ChatStore("c1");
  chat.conversation.queue = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await chat.say("after", "3+3?", async () => options)).toBe(false);
  expect(chat.conversation.getState().failure).not.toBeNull();
});

it("says it into the answer that has begun since", async () => {
  const going = { ...run, id: "r2", status: "running" as const, stopReason: null };
  let hasBegun = false;
  const sent: unknown[] = [];
  routes = {
    "GET /api/conversations/c1": () =>
      hasBegun
        ? detail({ messages: [question("m1", "2+2?")], runs: [going], activeRunId: "r2" })
        : detail({ messages: [question("m1", "2+2?")], runs: [{ ...run, status: "waiting" }] }),
    "GET /api/runs/r2/stream": ({ response }) => stream(response, "r2", text("6")),
    "POST /api/runs/r1/messages": ({ body, response }) => {
      hasBegun = true;
      sent.push(body.clientMessageId);
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "run_ended", message: "It has ended." } }));
    },
    "POST /api/runs/r2/messages": ({ body }) => {
      sent.push(body.clientMessageId);
      return { id: "m5", when: "after" };
    },
  };
  const chat = new ChatStore("c1");
  await chat.conversation.refresh();
  expect(await chat.say("after", "3+3?", async () => options)).toBe(true);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toBe(sent[1]);
  chat.conversation.detach();
});

/** Without a result the stream stays open, as that of a live run does. */
it("shows the branch of a message without choosing it, and goes on there when somebody asks", async () => {
  const [current, other] = [question("m1", "now"), question("m2", "then")];
  let sent: Record<string, unknown> = {};
  routes = {
    "GET /api/conversations/c1": ({ query, response }) => {
      const branch = query.get("branch");
      if (branch === null) return detail({ leafId: "m1", messages: [current], activeRunId: null });
      if (branch === "m2") return detail({ leafId: "m1", messages: [other], branchLeafId: "m2" });
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"code":"no_such_message","message":""}}');
    },
    "POST /api/chat": ({ body, response }) => {
      sent = body;
      return stream(response, "r1", text("4"), ended("end_turn"));
    },
  };
  const chat = new ChatStore("c1");
  const { conversation } = chat;
  const shown = () => conversation.getState().turns.map((turn) => turn.question?.text);
  await conversation.refresh();
  expect(await conversation.showBranch("m9")).toBe("missing");
  expect(shown()).toEqual(["now"]);
  expect(await conversation.showBranch("m2")).toBe("shown");
  expect([shown(), conversation.getState().branchLeafId]).toEqual([["then"], "m2"]);
  expect(conversation.placeOf("m2")).toMatchObject({ turn: "m2", loop: 0 });
  expect(conversation.placeOf("m1")).toBeNull();
  // Whatever asks for a refresh, one stays there.
  await conversation.refresh();
  expect(shown()).toEqual(["then"]);
  await conversation.showBranch(null);
  expect([shown(), conversation.getState().branchLeafId]).toEqual([["now"], null]);

  await conversation.showBranch("m2");
  await chat.send("more", options);
  expect(sent).toMatchObject({ conversationId: "c1", parentId: "m2" });
  await until(chat, ({ branchLeafId }) => branchLeafId === null);
});

const stream = (response: ServerResponse, runId: string, ...chunks: Chunk[]) =>
  streamFrom(response, runId, 0, ...chunks);

function streamOf(response: ServerResponse, runId: string, messageId: string, chunk: Chunk): undefined {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(encodeEvent({ event: "run", data: { runId, conversationId: "c1", messageId, seq: 0 } }));
  response.write(encodeEvent({ event: "chunk", id: 1, data: chunk }));
}

const said = (id: string, parentId: string, words: string): ConversationDetail["messages"][number] => ({
  ...{ role: "assistant", parts: [{ type: "text", text: words }], id, parentId, runId: "r1", model: null },
  ...{ createdAt: at, siblings: [id] },
});

function streamFrom(response: ServerResponse, runId: string, seq: number, ...chunks: Chunk[]): undefined {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events: StreamEvent[] = [
    { event: "run", data: { runId, conversationId: "c1", messageId: "m1", seq } },
    ...chunks.map((data, at): StreamEvent => ({ event: "chunk", id: seq + at + 1, data })),
  ];
  response.write(heartbeat + events.map(encodeEvent).join(""));
  if (chunks.at(-1)?.type === "result")
    response.end(encodeEvent({ event: "end", data: { status: "completed" } }));
}

/** With "One two " of a run that goes on, up to its second event. */
function broughtAlong(): OpenedConversation {
  const going = { ...run, id: "r9", status: "running" as const, stopReason: null, endedAt: null };
  return {
    detail: detail({ messages: [question("m1", "hi")], runs: [going], activeRunId: "r9" }),
    live: {
      run: { runId: "r9", conversationId: "c1", messageId: "m1", seq: 2 },
      chunks: [text("One two ")],
      seq: 2,
    },
    readAt: 0,
  };
}

const at = "2026-11-21T00:00:00.000Z";

const run = runItem();

function question(id: string, said: string): ConversationDetail["messages"][number] {
  const parts = [{ type: "text" as const, text: said }];
  return { role: "user", parts, id, parentId: null, runId: null, model: null, createdAt: at, siblings: [id] };
}

function detail(part: Partial<ConversationDetail>): ConversationDetail {
  return {
    id: "c1",
    title: "t",
    leafId: null,
    activeRunId: null,
    status: null,
    pinned: false,
    archived: false,
    projectId: null,
    createdAt: at,
    updatedAt: at,
    choice: null,
    messages: [],
    hasMore: false,
    runs: [],
    ...part,
  };
}

function answer({ turns }: ConversationState) {
  const view = turns.at(-1)?.answer?.view;
  return view && [answerText(view), view.status];
}

/** The first state that is so. */
function until(chat: ChatStore, isSo: (state: ConversationState) => boolean): Promise<ConversationState> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo(chat.conversation.getState())) return;
      stop();
      resolve(chat.conversation.getState());
    };
    const stop = chat.conversation.subscribe(look);
    look();
  });
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let body = "";
  for await (const piece of request) body += piece;
  return body === "" ? {} : JSON.parse(body);
}
