import { afterEach, expect, it } from "vitest";
import { ended, text } from "@/lib/agent/testing/scripted";
import { encodeEvent, type StreamEvent } from "@/lib/protocol/sse";
import { JoinedStreams } from "./joined-streams";
import { followRun } from "./stream";

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

const of = (runId: string) => `event: of\ndata: ${JSON.stringify({ runId })}\n\n`;
const event = (runId: string, more: StreamEvent[]) => of(runId) + more.map(encodeEvent).join("");
const opening = (runId: string, seq: number): StreamEvent => ({
  event: "run",
  data: { runId, conversationId: "c1", messageId: `m-${runId}`, seq },
});
const words = (id: number, content: string): StreamEvent => ({ event: "chunk", id, data: text(content) });
const end = (id: number): StreamEvent[] => [
  { event: "result", id, data: ended("end_turn") },
  { event: "end", data: { status: "completed" } },
];

/** Connections that are answered one after the other; each brings what it is given, and then holds or breaks. */
function server(...answers: { body: string; breaks?: boolean }[]) {
  const asked: { url: string; after: string | null }[] = [];
  globalThis.fetch = async (url, init) => {
    asked.push({ url: String(url), after: new Headers(init?.headers).get("Last-Event-ID") });
    const { body, breaks } = answers[asked.length - 1] ?? { body: "" };
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(body));
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
        },
        pull: (controller) => {
          if (breaks) controller.error(new TypeError("network"));
        },
      }),
    );
  };
  return asked;
}

function follow(streams: JoinedStreams, runId: string, signal = new AbortController().signal) {
  const read: string[] = [];
  const done = followRun(
    { runId },
    {
      onRun: () => {},
      onChunk: (chunk) => read.push(chunk.type === "text" ? chunk.content : chunk.type),
      onReset: () => {},
      onEnd: (status) => read.push(status),
    },
    signal,
    { fetch: streams.fetch, wait: () => Promise.resolve() },
  );
  return { read, done };
}

it("reads several runs over one connection, and each reader gets its own", async () => {
  const asked = server({
    body:
      event("a", [opening("a", 0), words(1, "A1")]) +
      event("b", [opening("b", 0), words(1, "B1"), ...end(2)]) +
      event("a", [words(2, "A2"), ...end(3)]),
  });
  const streams = new JoinedStreams();
  const [a, b] = [follow(streams, "a"), follow(streams, "b")];
  await Promise.all([a.done, b.done]);
  expect([a.read, b.read]).toEqual([
    ["A1", "A2", "result", "completed"],
    ["B1", "result", "completed"],
  ]);
  expect(asked).toEqual([{ url: "/api/runs/a/stream?with=b:0", after: null }]);
});

it("after a break each goes on from where it was, and one that has ended is not asked for again", async () => {
  const asked = server(
    {
      body:
        event("a", [opening("a", 0), words(1, "A1")]) +
        event("b", [opening("b", 0), ...end(1)]) +
        event("c", [opening("c", 0), words(1, "C1"), words(2, "C2")]),
      breaks: true,
    },
    { body: event("a", [opening("a", 1), ...end(2)]) + event("c", [opening("c", 2), ...end(3)]) },
  );
  const streams = new JoinedStreams();
  const all = ["a", "b", "c"].map((id) => follow(streams, id));
  await Promise.all(all.map(({ done }) => done));
  expect(all.map(({ read }) => read)).toEqual([
    ["A1", "result", "completed"],
    ["result", "completed"],
    ["C1", "C2", "result", "completed"],
  ]);
  expect(asked.map(({ url, after }) => [url, after])).toEqual([
    ["/api/runs/a/stream?with=b:0,c:0", null],
    ["/api/runs/a/stream?with=c:2", "1"],
  ]);
});

it("a reader that closes ends at once, before and after the connection has opened; the other reads on", async () => {
  server({ body: event("b", [opening("b", 0), words(1, "B1"), ...end(2)]) });
  const streams = new JoinedStreams();
  const closing = new AbortController();
  const [a, b] = [follow(streams, "a", closing.signal), follow(streams, "b")];
  closing.abort();
  await Promise.all([a.done, b.done]);
  expect([a.read, b.read]).toEqual([[], ["B1", "result", "completed"]]);

  server({ body: event("a", [opening("a", 0), words(1, "A1")]) });
  const later = new AbortController();
  const c = follow(streams, "a", later.signal);
  await expect.poll(() => c.read).toEqual(["A1"]);
  later.abort();
  await c.done;
});
