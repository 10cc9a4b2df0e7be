import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { QueuedMessage } from "@/lib/protocol/http";
import type { QueueState } from "./conversation-state";
import { MessageQueue } from "./message-queue";

/** The routes of a queue over memory; `refusals` are answered first, one a request. */
let waiting: QueuedMessage[];
let refusals: { status: number; code: string }[];
let calls: string[];
let sent: object[];
let isWorkflow: boolean;
let server: Server;
const realFetch = globalThis.fetch;

beforeEach(async () => {
  [waiting, refusals, calls, sent] = [[], [], [], []];
  isWorkflow = false;
  server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const body = text === "" ? {} : JSON.parse(text);
    sent.push(body);
    const id = request.url?.split("/messages/")[1];
    calls.push(`${request.method} ${request.url}`);
    const refusal = request.method === "GET" ? undefined : refusals.shift();
    const answer = (status: number, json: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (refusal) return answer(refusal.status, { error: { code: refusal.code, message: "No." } });
    if (request.url?.endsWith("/stop")) return answer(200, { runId: "r2", messageId: "m1" });
    if (request.method === "GET") return answer(200, { items: waiting, nextCursor: null });
    if (request.method === "POST")
      waiting.push(message(`m${waiting.length + 1}`, body.text, isWorkflow ? "after" : body.when));
    if (request.method === "DELETE") waiting = waiting.filter((each) => each.id !== id);
    if (request.method === "PATCH")
      waiting = waiting.map((each) => (each.id === id ? { ...each, ...body } : each));
    return answer(request.method === "POST" ? 202 : 200, waiting.at(-1) ?? {});
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

it("shows a message at once, under one key before and after the server has it", async () => {
  const { queue, seen } = open();
  const added = queue.add("after", said("later"));
  const [first] = seen().lines;
  expect(first).toMatchObject({ text: "later", when: "after", isSending: true });
  await added;
  expect(seen().lines).toMatchObject([{ id: "m1", key: first?.key, isSending: false }]);
  await queue.load();
  expect(seen().lines).toMatchObject([{ id: "m1", key: first?.key }]);
});

it("tells that something waits no more that nobody has seen in the thread", async () => {
  const { queue, seen } = open();
  await queue.add("after", said("first"));
  await queue.add("after", said("second"));
  expect(await queue.load()).toBe(false);
  const [first, second] = waiting;
  // The one is in the thread, the other was taken meanwhile.
  queue.onRead([first?.id ?? ""]);
  waiting = second ? [second] : [];
  expect(await queue.load()).toBe(false);
  waiting = [];
  expect(await queue.load()).toBe(true);
  expect(seen().lines).toEqual([]);
  expect(await queue.load()).toBe(false);
});

it("puts what goes into the answer before what is asked after it, and what stops it first of those", async () => {
  const { queue, seen } = open();
  await queue.add("after", said("a"));
  await queue.add("next_turn", said("s"));
  const stopped = queue.add("stop", said("now"));
  expect(seen().lines.map(({ text }) => text)).toEqual(["s", "now", "a"]);
  await stopped;
  expect(calls).toContain("POST /api/runs/r1/stop");
});

it("takes files along, by name", async () => {
  const { queue, seen } = open();
  const file = {
    type: "file",
    attachmentId: "f1",
    name: "notes.txt",
    mediaType: "text/plain",
    size: 5,
  } as const;
  await queue.add("after", { text: "", files: [file] });
  expect(sent.at(-1)).toMatchObject({ text: "", attachments: [{ id: "f1" }], when: "after" });
  const attachments = [{ id: "f1", name: "notes.txt", mimeType: "text/plain", size: 5 }];
  expect(seen().lines).toMatchObject([{ attachments }]);
});

it("waits for the run that is just being started", async () => {
  const run = Promise.withResolvers<string | null>();
  const { queue, seen } = open(() => run.promise);
  const added = queue.add("next_turn", said("s"));
  expect(seen().lines).toHaveLength(1);
  run.resolve("r7");
  await added;
  expect(calls).toEqual(["POST /api/runs/r7/messages"]);
});

it("tries again where that can help, and gives back what is refused, which keeps its id when it is sent again", async () => {
  const { queue, seen } = open();
  refusals = [{ status: 503, code: "busy" }];
  await queue.add("after", said("a"));
  expect(calls).toHaveLength(2);
  refusals = [{ status: 409, code: "queue_full" }];
  await expect(queue.add("after", said("b"))).rejects.toMatchObject({ code: "queue_full", message: "No." });
  expect(seen().lines.map(({ text }) => text)).toEqual(["a"]);
  const id = queue.takeUnsent();
  expect(id).toBeTruthy();
  expect(queue.takeUnsent()).toBeUndefined();
});

it("changes, turns and takes back at once, in the order in which it was done", async () => {
  waiting = [message("m1", "a", "after"), message("m2", "b", "after")];
  const { queue, seen } = open();
  await queue.load();
  const moved = queue.change("m2", { before: "m1" });
  expect(seen()).toMatchObject({
    lines: [{ id: "m2" }, { id: "m1" }],
    news: { kind: "moved", place: 1, count: 2 },
  });
  const turned = queue.change("m1", { when: "next_turn" });
  expect(seen().lines.map(({ id }) => id)).toEqual(["m1", "m2"]);
  const back = queue.takeBack("m2");
  expect(seen()).toMatchObject({ lines: [{ id: "m1" }], news: { kind: "takenBack" } });
  expect(await Promise.all([moved, turned, back])).toEqual([true, true, true]);
  expect(calls.filter((call) => !call.startsWith("GET"))).toEqual([
    "PATCH /api/runs/r1/messages/m2",
    "PATCH /api/runs/r1/messages/m1",
    "DELETE /api/runs/r1/messages/m2",
  ]);
  expect(seen().lines).toMatchObject([{ id: "m1", when: "next_turn" }]);
});

it("keeps a change over a response that is older than it", async () => {
  waiting = [message("m1", "a", "after")];
  const { queue, seen } = open();
  await queue.load();
  const late = queue.load();
  const changed = queue.change("m1", { text: "b" });
  await late;
  expect(seen().lines).toMatchObject([{ text: "b" }]);
  await changed;
  expect(seen().lines).toMatchObject([{ text: "b" }]);
});

it("says that the model has it already, and shows what still waits", async () => {
  waiting = [message("m1", "a", "next_turn"), message("m2", "b", "after")];
  const { queue, seen } = open();
  await queue.load();
  waiting = waiting.slice(1);
  refusals = [{ status: 409, code: "delivered" }];
  expect(await queue.change("m1", { text: "other" })).toBe(false);
  expect(seen()).toMatchObject({ lines: [{ id: "m2" }], news: { kind: "delivered" } });
  refusals = [{ status: 400, code: "invalid_input" }];
  expect(await queue.change("m2", { text: "c" })).toBe(false);
  expect(seen()).toMatchObject({
    lines: [{ text: "b" }],
    news: { kind: "failed", failure: { message: "No." } },
  });
});

it("shows that a message waits as before when neither a change nor what waits gets through", async () => {
  waiting = [message("m1", "a", "after")];
  const { queue, seen } = open();
  await queue.load();
  const connected = globalThis.fetch;
  globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await queue.takeBack("m1")).toBe(false);
  expect(seen()).toMatchObject({ lines: [{ id: "m1", text: "a" }], news: { kind: "failed" } });
  expect(await queue.change("m1", { text: "b" })).toBe(false);
  expect(seen()).toMatchObject({ lines: [{ id: "m1", text: "a" }], news: { kind: "failed" } });
  globalThis.fetch = connected;
  expect(await queue.takeBack("m1")).toBe(true);
  expect(seen().lines).toEqual([]);
});

it("says of a workflow that it takes nothing in between", async () => {
  const { queue, seen } = open();
  isWorkflow = true;
  await queue.add("next_turn", said("s"));
  expect(seen()).toMatchObject({ lines: [{ when: "after" }], news: { kind: "notSteered" } });
});

it("loses a line to the thread, and no older response brings it back", async () => {
  waiting = [message("m1", "a", "next_turn")];
  const { queue, seen } = open();
  await queue.load();
  const late = queue.load();
  queue.onRead(["m1"]);
  expect(seen()).toMatchObject({ lines: [], news: { kind: "read" } });
  await late;
  await queue.load();
  expect(seen().lines).toEqual([]);
});

it("moves what came too late behind the answer, and says so until it is asked", async () => {
  waiting = [message("m1", "a", "next_turn"), message("m2", "b", "after")];
  const { queue, seen } = open();
  await queue.load();
  queue.onEnd();
  expect(seen()).toMatchObject({
    lines: [{ id: "m1", when: "after", tooLate: true }, { tooLate: false }],
    news: { kind: "tooLate" },
  });
  waiting = waiting.map((each) => ({ ...each, when: "after" }));
  await queue.load();
  expect(seen().lines[0]).toMatchObject({ id: "m1", tooLate: true });
  queue.onRead(["m1"]);
  expect(seen().news).toEqual({ kind: "askedNext" });
  queue.onEnd();
  expect(seen().news).toBeNull();
});

const said = (text: string) => ({ text, files: [] });

const message = (id: string, text: string, when: QueuedMessage["when"]): QueuedMessage => ({
  ...{ id, clientMessageId: id, text, when },
  attachments: [],
  createdAt: "2026-11-21T00:00:00.000Z",
});

function open(knownRun: () => Promise<string | null> = async () => "r1") {
  let state: QueueState = { lines: [], news: null };
  const queue = new MessageQueue(knownRun, (next) => {
    state = next;
  });
  return { queue, seen: () => state };
}
