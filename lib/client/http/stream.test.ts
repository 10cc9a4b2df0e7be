import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ended } from "@/lib/agent/testing/scripted";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import type { RunView } from "@/lib/client/run/run-view";
import type { Chunk } from "@/lib/protocol/chunk";
import { encodeEvent, heartbeat, type StreamEvent } from "@/lib/protocol/sse";
import { ApiError } from "./http";
import { followRun, type RunSource, type StreamDeps } from "./stream";

const log: Chunk[] = [
  { type: "iteration", index: 1, at: 1 },
  { type: "reasoning", content: "考える 🤔", at: 2 },
  { type: "text", content: "日本語の", at: 3 },
  { type: "text", content: "答え\n\nid: 99\ndata: {}" },
  { type: "usage", stopReason: "end_turn", inputTokens: 3, outputTokens: 4, at: 5 },
  { ...ended("end_turn", { usage: { inputTokens: 3, outputTokens: 4 } }), at: 6 },
];

const opening = (seq: number): StreamEvent => ({
  event: "run",
  data: { runId: "r1", conversationId: "c1", messageId: "m1", seq },
});

/** What a server sends to a reader that has seen `after`. */
function wire(after: number): Uint8Array<ArrayBuffer> {
  const events: StreamEvent[] = [
    opening(after),
    ...log.slice(after).map(
      (data, at): StreamEvent => ({
        event: data.type === "result" ? "result" : "chunk",
        id: after + at + 1,
        data,
      }),
    ),
    { event: "end", data: { status: "completed" } },
  ];
  return new TextEncoder().encode(heartbeat + events.map(encodeEvent).join(""));
}

/** A server whose connections break after so many bytes each; the last one holds. `step` is the size of its writes. */
function server(cuts: number[], step: number) {
  const requests: { url: string; method: string; after: number }[] = [];
  const answer: typeof fetch = async (url, init) => {
    const after = Number(new Headers(init?.headers).get("Last-Event-ID") ?? 0);
    requests.push({ url: String(url), method: init?.method ?? "GET", after });
    const cut = cuts[requests.length - 1];
    const bytes = wire(after).slice(0, cut);
    let sent = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (sent < bytes.length) {
            controller.enqueue(bytes.slice(sent, sent + step));
            sent += step;
          } else if (cut === undefined) controller.close();
          else controller.error(new TypeError("network"));
        },
      }),
    );
  };
  return { requests, deps: { fetch: answer, wait: async () => {} } };
}

async function read(
  source: RunSource,
  { deps }: { deps: StreamDeps },
  signal = new AbortController().signal,
) {
  let view: RunView = openRunView("");
  const told: string[] = [];
  const seqs: number[] = [];
  await followRun(
    source,
    {
      onRun: ({ runId }) => {
        view = openRunView(runId);
        told.push("run");
      },
      onChunk: (chunk, seq) => {
        view = reduceRun(view, chunk);
        seqs.push(seq);
      },
      onReset: () => {
        view = openRunView("r1");
        told.push("reset");
      },
      onEnd: (status) => told.push(status),
    },
    signal,
    deps,
  );
  return { view, told, seqs };
}

const whole = log.reduce(reduceRun, openRunView("r1"));

describe("following a run", () => {
  it("gives the same view for any split of the bytes and any breaks of the line", async () => {
    const size = wire(0).length;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: size }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        async (cuts, step, sends) => {
          const source = sends
            ? { send: { message: { text: "hi" }, clientMessageId: "u" } }
            : { runId: "r1" };
          const { view, told, seqs } = await read(source, server(cuts, step));
          expect(view).toEqual(whole);
          expect(told).toEqual(["run", "completed"]);
          expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("asks for what comes after the last number it saw, and never sends twice once the run is known", async () => {
    const upToSecond = new TextEncoder().encode(
      heartbeat + encodeEvent(opening(0)) + encodeEvent({ event: "chunk", id: 1, data: log[0] as Chunk }),
    ).length;
    const broken = server([upToSecond], 50);
    await read({ send: { message: { text: "hi" }, clientMessageId: "u" } }, broken);
    expect(broken.requests).toEqual([
      { url: "/api/chat", method: "POST", after: 0 },
      { url: "/api/runs/r1/stream", method: "GET", after: 1 },
    ]);
  });

  it("starts over when the server says that the numbers are beyond its log", async () => {
    const events = [
      opening(0),
      { event: "reset" } as const,
      ...events123(),
      { event: "end", data: { status: "completed" } } as const,
    ];
    const body = events.map(encodeEvent).join("");
    const deps = { fetch: async () => new Response(body), wait: async () => {} };
    const { told, seqs } = await read({ runId: "r1", after: 40 }, { deps });
    expect(told).toEqual(["run", "reset", "completed"]);
    expect(seqs).toEqual([1, 2, 3]);
  });

  it("opens the line again over a gap, so that nothing is missed", async () => {
    let requests = 0;
    const gap = [opening(0), { event: "chunk", id: 2, data: log[1] as Chunk } as const]
      .map(encodeEvent)
      .join("");
    const deps = { fetch: async () => new Response(requests++ === 0 ? gap : wire(0)), wait: async () => {} };
    expect((await read({ runId: "r1" }, { deps })).view).toEqual(whole);
  });

  it.each([
    [409, "run_active"],
    [507, "disk_full"],
  ])("tells a refusal (%i) as it is, and does not try again", async (status, code) => {
    let requests = 0;
    const body = JSON.stringify({ error: { code, message: "Wait." } });
    const deps = {
      fetch: async () => {
        requests++;
        return new Response(body, { status });
      },
      wait: async () => {},
    };
    await expect(read({ send: {} }, { deps })).rejects.toMatchObject({ code, status });
    expect(requests).toBe(1);
  });

  it("tells each chunk once, also where a server sends some of them again", async () => {
    const twice = [opening(0), ...events123(), ...events123()].map(encodeEvent).join("");
    let requests = 0;
    const deps = {
      fetch: async () => new Response(requests++ === 0 ? twice : wire(3)),
      wait: async () => {},
    };
    const { view, seqs } = await read({ runId: "r1" }, { deps });
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6]);
    expect(view).toEqual(whole);
  });

  it.each([429, 502, 503])("tries again where the server is busy or goes down: %i", async (status) => {
    let requests = 0;
    const busy = JSON.stringify({ error: { code: "busy", message: "Too many at once." } });
    const deps = {
      fetch: async () => (requests++ < 2 ? new Response(busy, { status }) : new Response(wire(0))),
      wait: async () => {},
    };
    const source = { send: { message: { text: "hi" }, clientMessageId: "u" } };
    expect((await read(source, { deps })).view).toEqual(whole);
    expect(requests).toBe(3);
  });

  it("counts failures anew, and waits as short as at first, as soon as something new has come", async () => {
    const waits: number[] = [];
    let requests = 0;
    // One chunk, then nothing for eight tries: never ten in a row.
    const deps = {
      fetch: (async (_url, init) => {
        const after = Number(new Headers(init?.headers).get("Last-Event-ID") ?? 0);
        if (requests++ % 9 > 0 && after < 5) throw new TypeError("network");
        const next = { event: "chunk", id: after + 1, data: log[after] as Chunk } as const;
        return new Response(after < 5 ? [opening(after), next].map(encodeEvent).join("") : wire(after));
      }) as typeof fetch,
      wait: async (ms: number) => void waits.push(ms),
    };
    expect((await read({ runId: "r1" }, { deps })).view).toEqual(whole);
    expect(waits.length).toBeGreaterThan(30);
    expect(waits.slice(0, 10)).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 250]);
  });

  it("gives up after some failures in a row", async () => {
    let requests = 0;
    const deps = {
      fetch: async () => {
        requests++;
        throw new TypeError("network");
      },
      wait: async () => {},
    };
    await expect(read({ send: {} }, { deps })).rejects.toThrow(ApiError);
    expect(requests).toBe(4);
    requests = 0;
    await expect(read({ runId: "r1" }, { deps })).rejects.toMatchObject({ status: 0 });
    expect(requests).toBe(11);
  });

  it("closes the reader and nothing else when it is aborted", async () => {
    const abort = new AbortController();
    let closed = false;
    const deps = {
      fetch: (async (_url, init) => {
        init?.signal?.addEventListener("abort", () => {
          closed = true;
        });
        queueMicrotask(() => abort.abort());
        return new Promise((_, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
        );
      }) as typeof fetch,
      wait: async () => {},
    };
    expect((await read({ runId: "r1" }, { deps }, abort.signal)).told).toEqual([]);
    expect(closed).toBe(true);
  });
});

const events123 = () => log.slice(0, 3).map((data, at) => ({ event: "chunk", id: at + 1, data }) as const);
