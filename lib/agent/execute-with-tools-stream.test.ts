import { describe, expect, test } from "vitest";
import type { Chunk, ModelChunk } from "@/lib/protocol/chunk";
import { openToolCalls } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import { Transcript } from "@/lib/protocol/transcript";
import { executeWithToolsStream } from "./execute-with-tools-stream";
import { LoopStop, type Provider, ProviderError, type ToolBox } from "./ports";
import { adder, asks, call, ok, run, scriptedProvider, stop, text, toolCall } from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withCallTimeout, withTurnTimeouts } from "./with-timeouts";

const answer: ModelChunk[] = [text("4"), stop("end_turn")];
const asksFor = (...ids: string[]): ModelChunk[] => [...ids.map((id) => call(id)), stop("tool_use")];
const timed = { totalTokens: 2, latencyMs: expect.any(Number), timeToFirstTokenMs: expect.any(Number) };
const never = () => new Promise<never>(() => {});
const deaf: ToolBox = withIntents({ list: () => [], call: never });

describe("ends", () => {
  test("text only", async () => {
    const { kinds, result } = await run({ provider: scriptedProvider([text("It is "), ...answer]) });
    expect(kinds).toBe("iteration text text usage result");
    expect(result).toEqual({
      stopReason: "end_turn",
      historyDelta: [{ role: "assistant", parts: [{ type: "text", text: "It is 4" }] }],
      finalText: "It is 4",
      iterationsUsed: 1,
      timedOut: false,
      usage: { inputTokens: 1, outputTokens: 1 },
    });
  });

  test("after a tool: the model gets its result and answers", async () => {
    const provider = scriptedProvider([text("Let me add."), ...asksFor("a")], answer);
    const { kinds, log, result } = await run({ provider, tools: withIntents(adder) });
    expect(kinds).toBe("iteration text tool_call usage tool_start tool_result iteration text usage result");
    expect(log.flatMap((chunk) => (chunk.type === "iteration" ? [chunk.index] : []))).toEqual([1, 2]);
    expect(provider.turns[1]?.history).toEqual([
      ...asks,
      { role: "assistant", parts: [{ type: "text", text: "Let me add." }, toolCall("a")] },
      { role: "tool", results: [ok(toolCall("a").id)] },
    ]);
    expect(result).toMatchObject({ stopReason: "end_turn", finalText: "4", iterationsUsed: 2 });
  });

  test("each turn with what it took: tokens together, the time to its first piece and to its end", async () => {
    const nested: ModelChunk = { type: "usage", inputTokens: 5, outputTokens: 5 };
    const provider = scriptedProvider([...asksFor("a")], [nested, ...answer], [stop("end_turn")]);
    const { log } = await run({ provider });
    const usages = log.filter((chunk) => chunk.type === "usage");
    expect(usages).toEqual([{ ...stop("tool_use"), ...timed }, nested, { ...stop("end_turn"), ...timed }]);
    for (const { latencyMs = -1, timeToFirstTokenMs = -1 } of usages.filter(({ stopReason }) => stopReason)) {
      expect(timeToFirstTokenMs).toBeGreaterThanOrEqual(0);
      expect(latencyMs).toBeGreaterThanOrEqual(timeToFirstTokenMs);
    }
    // What comes after the first piece does not count: here the time between two pieces is the reader's.
    let until = 0;
    const paced = await run(
      { provider: scriptedProvider([text("Hi"), text("!"), stop("end_turn")]) },
      async () => {
        until = performance.now() + 20;
        while (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
      },
    );
    const [end] = paced.log.filter((chunk) => chunk.type === "usage");
    expect((end?.latencyMs ?? 0) - (end?.timeToFirstTokenMs ?? 0)).toBeGreaterThanOrEqual(39);
    const silent = await run({ provider: scriptedProvider([stop("end_turn")]) });
    expect(silent.log[1]).toEqual({ ...stop("end_turn"), totalTokens: 2, latencyMs: expect.any(Number) });
  });

  test("at the iteration limit, with every call answered and what there is", async () => {
    const provider = scriptedProvider([text("One."), ...asksFor("a")], [text("Two."), ...asksFor("b")]);
    const { kinds, result } = await run({ provider, maxIterations: 2 });
    expect(kinds).toBe(
      "iteration text tool_call usage tool_result iteration text tool_call usage tool_result result",
    );
    expect(result).toMatchObject({ stopReason: "max_iterations", iterationsUsed: 2, finalText: "Two." });
    expect(openToolCalls([...asks, ...result.historyDelta])).toEqual([]);
  });

  test("at once when the runs that it continues have used up the time: an approved call is not sent", async () => {
    const history: ChatMessage[] = [...asks, { role: "assistant", parts: [toolCall("a")] }];
    const spent = { provider: scriptedProvider(), history, tools: deaf, timeoutMs: 60_000 };
    const { kinds, result } = await run({ ...spent, timeUsedMs: 60_000 });
    expect(kinds).toBe("tool_result result");
    expect(result).toMatchObject({ stopReason: "timeout", timedOut: true });
    expect(openToolCalls([...history, ...result.historyDelta])).toEqual([]);
  });

  test("after what is left of the time", async () => {
    const provider = scriptedProvider([text("Wait."), ...asksFor("a")]);
    const { result } = await run({ provider, tools: deaf, timeoutMs: 3_600_000, timeUsedMs: 3_599_980 });
    expect(result).toMatchObject({ stopReason: "timeout", finalText: "Wait." });
  });

  test("at the time limit, even with a tool that ignores the signal, and says what it does not know", async () => {
    const { kinds, result } = await run({
      provider: scriptedProvider([text("Wait."), ...asksFor("a")]),
      tools: deaf,
      timeoutMs: 20,
    });
    expect(kinds).toBe("iteration text tool_call usage tool_start tool_result result");
    expect(result).toMatchObject({ stopReason: "timeout", timedOut: true, finalText: "Wait." });
    expect(result.historyDelta[1]).toMatchObject({ results: [{ id: "a", status: "unknown" }] });
  });

  test("at the time limit in the middle of a turn, with the text so far", async () => {
    const provider: Provider = {
      async *stream() {
        yield text("Half");
        await never();
      },
    };
    const { kinds, result } = await run({ provider: withTurnTimeouts(provider), timeoutMs: 20 });
    expect(kinds).toBe("iteration text result");
    expect(result).toMatchObject({ stopReason: "timeout", timedOut: true, finalText: "Half" });
  });

  test("a time limit beyond what timers can count is none", async () => {
    const provider: Provider = {
      async *stream() {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield* answer;
      },
    };
    const { result } = await run({ provider, timeoutMs: Number.POSITIVE_INFINITY });
    expect(result.stopReason).toBe("end_turn");
  });

  test("on Stop before the start nothing but the result comes", async () => {
    const { kinds, result } = await run({ provider: scriptedProvider(), signal: AbortSignal.abort() });
    expect(kinds).toBe("result");
    expect(result).toMatchObject({ stopReason: "aborted", historyDelta: [], iterationsUsed: 0 });
  });

  test("on Stop in the middle of a turn the text stays and the calls of the turn do not", async () => {
    const abort = new AbortController();
    const { kinds, result } = await run(
      { provider: scriptedProvider([text("Half"), ...asksFor("a")]), signal: abort.signal },
      (chunk) => chunk.type === "tool_call" && abort.abort(),
    );
    expect(kinds).toBe("iteration text tool_call result");
    expect(result.stopReason).toBe("aborted");
    expect(result.historyDelta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "Half" }] }]);
  });

  test("on a provider's error, with the text, without the calls, and with the error's code", async () => {
    const provider = scriptedProvider([text("Half"), call("a"), new ProviderError("unavailable", "503.")]);
    const { kinds, result } = await run({ provider });
    expect(kinds).toBe("iteration text tool_call result");
    expect(result).toMatchObject({ stopReason: "error", error: { code: "unavailable", message: "503." } });
    expect(result.historyDelta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "Half" }] }]);
  });

  test("a stream that ends without a stop is an error and no answer", async () => {
    const { kinds, result } = await run({ provider: scriptedProvider([text("Half")]) });
    expect(kinds).toBe("iteration text result");
    expect(result).toMatchObject({ stopReason: "error", error: { code: "bad_response" }, finalText: "Half" });
  });

  test("max_tokens keeps the text and drops the calls", async () => {
    const provider = scriptedProvider([text("Half"), call("a"), stop("max_tokens")]);
    const { kinds, result } = await run({ provider });
    expect(kinds).toBe("iteration text tool_call usage result");
    expect(result).toMatchObject({ stopReason: "max_tokens", finalText: "Half" });
    expect(result.historyDelta).toEqual([{ role: "assistant", parts: [{ type: "text", text: "Half" }] }]);
  });

  test("a turn without an end is cut off at its bound, as at max_tokens, and its provider is left", async () => {
    const half = runLimits.chat.answerCharacters / 2;
    let isLeft = false;
    const provider: Provider = {
      async *stream() {
        try {
          yield { type: "reasoning", content: "r".repeat(half) };
          for (let piece = 0; piece < 6; piece++) yield text("t".repeat(half));
        } finally {
          isLeft = true;
        }
      },
    };
    const { kinds, result } = await run({ provider });
    expect(kinds).toBe("iteration reasoning text text usage result");
    expect(result).toMatchObject({ stopReason: "max_tokens", usage: { outputTokens: (3 * half) / 4 } });
    expect([result.finalText.length, isLeft]).toEqual([2 * half, true]);
  });

  test("a call that waits for a person leaves the history open, after the others have ended", async () => {
    const tools: ToolBox = {
      list: () => [],
      call: async (asked, { emit }) => {
        if (asked.id === "b") return ok(asked.id);
        await emit({ type: "approval_request", requestId: asked.id, call: asked, reason: "rule" });
        return { waiting: "awaiting_approval" };
      },
    };
    const { kinds, result } = await run({ provider: scriptedProvider(asksFor("a", "b")), tools });
    expect(kinds).toBe("iteration tool_call tool_call usage approval_request tool_result result");
    expect(result.stopReason).toBe("awaiting_approval");
    expect(openToolCalls([...asks, ...result.historyDelta])).toEqual([toolCall("a")]);
  });

  test("a tool asked for where none are connected: an error in the history, code no_tools", async () => {
    const { signal } = new AbortController();
    const chunks: Chunk[] = [];
    const request = { provider: scriptedProvider(asksFor("a")), system: "", history: asks, signal };
    for await (const chunk of executeWithToolsStream(request)) chunks.push(chunk);
    expect(chunks.map(({ type }) => type).join(" ")).toBe("iteration tool_call usage tool_result result");
    expect(chunks.at(-1)).toMatchObject({
      result: {
        stopReason: "error",
        error: { code: "no_tools", message: "The model asked for a tool, but no tools are connected." },
        historyDelta: [{}, { results: [{ id: "a", status: "error" }] }],
      },
    });
  });

  test("a call that was sent and failed is no sign that no tools are connected, even when its server is gone", async () => {
    const gone: ToolBox = withIntents({
      list: () => [],
      call: async ({ id }) => ({ ...ok(id, "The server has died."), status: "error" }),
    });
    const { result } = await run({ provider: scriptedProvider(asksFor("a"), answer), tools: gone });
    expect(result).toMatchObject({ stopReason: "end_turn", iterationsUsed: 2 });
  });

  test("whoever throws LoopStop names the reason, and it is no error", async () => {
    const notice: ModelChunk = { type: "notice", kind: "budget", message: "All spent." };
    const provider: Provider = {
      async *stream() {
        yield notice;
        throw new LoopStop("budget");
      },
    };
    const { kinds, result } = await run({ provider });
    expect(kinds).toBe("iteration notice result");
    expect(result.stopReason).toBe("budget");
    expect(result.error).toBeUndefined();
  });

  test("an unexpected error says so, shows nothing of it, and is reported to the operator", async () => {
    const cause = new TypeError("secret in /etc/passwd");
    const heard: unknown[] = [];
    const { kinds, log, result } = await run({
      provider: scriptedProvider([text("Half"), cause]),
      onFault: (fault) => heard.push(fault),
    });
    expect(kinds).toBe("iteration text result");
    expect(result).toMatchObject({ stopReason: "error", error: { code: "internal" }, finalText: "Half" });
    expect(JSON.stringify(log)).not.toContain("secret");
    expect(heard).toEqual([cause]);
  });
});

describe("turns", () => {
  test("go by the calls and not by what the model says: tool_use without a call ends", async () => {
    const { kinds, result } = await run({ provider: scriptedProvider([text("4"), stop("tool_use")]) });
    expect(kinds).toBe("iteration text usage result");
    expect(result.stopReason).toBe("end_turn");
  });

  test("go by the calls and not by what the model says: calls with end_turn run", async () => {
    const { kinds } = await run({ provider: scriptedProvider([call("a"), stop("end_turn")], answer) });
    expect(kinds).toBe("iteration tool_call usage tool_result iteration text usage result");
  });

  test("are counted on from the run that this one continues, and the limit holds for both", async () => {
    const { log, result } = await run({
      provider: scriptedProvider(asksFor("a")),
      iterationsUsed: 2,
      maxIterations: 3,
    });
    expect(log[0]).toEqual({ type: "iteration", index: 3, limit: 3 });
    expect(result).toMatchObject({ stopReason: "max_iterations", iterationsUsed: 3 });
  });

  test("add up their tokens, cached ones and those of nested work included", async () => {
    const nested: ModelChunk = { type: "usage", inputTokens: 10, outputTokens: 5 };
    const end: ModelChunk = {
      type: "usage",
      stopReason: "end_turn",
      inputTokens: 7,
      cachedInputTokens: 6,
      outputTokens: 2,
    };
    const { result } = await run({ provider: scriptedProvider(asksFor("a"), [nested, text("4"), end]) });
    expect(result.usage).toEqual({ inputTokens: 18, outputTokens: 8, cachedInputTokens: 6 });
  });

  test("get the tools that are there when they begin", async () => {
    const specs = [{ name: "demo__add", description: "", inputSchema: {} }];
    const tools: ToolBox = { ...adder, list: () => [...specs] };
    const provider = scriptedProvider(asksFor("a"), answer);
    await run({ provider, tools }, (chunk) => {
      if (chunk.type === "tool_result") specs.push({ name: "demo__new", description: "", inputSchema: {} });
    });
    expect(provider.turns.map((turn) => turn.tools.length)).toEqual([1, 2]);
  });
});

describe("calls", () => {
  test("run at once, are reported as they end, and are stored and reach the model in call order", async () => {
    const first = Promise.withResolvers<void>();
    const tools: ToolBox = {
      list: () => [],
      call: async ({ id }) => {
        if (id === "a") await first.promise;
        return ok(id);
      },
    };
    const provider = scriptedProvider(asksFor("a", "b"), answer);
    const { log, result } = await run({ provider, tools }, (chunk) => {
      if (chunk.type === "tool_result" && chunk.result.id === "b") first.resolve();
    });
    expect(result.historyDelta[1]).toMatchObject({ results: [{ id: "a" }, { id: "b" }] });
    expect(log.flatMap((chunk) => (chunk.type === "tool_result" ? [chunk.result.id] : []))).toEqual([
      "b",
      "a",
    ]);
    expect(provider.sent[1]?.at(-1)).toMatchObject({ results: [{ id: "a" }, { id: "b" }] });
  });

  test("that end a history are answered before any turn", async () => {
    const history: ChatMessage[] = [...asks, { role: "assistant", parts: [toolCall("a")] }];
    const { kinds, result } = await run({ provider: scriptedProvider(answer), history });
    expect(kinds).toBe("tool_result iteration text usage result");
    expect(result.iterationsUsed).toBe(1);
  });

  test("of one round that two runs answered reach the model as one message", async () => {
    const history: ChatMessage[] = [
      ...asks,
      { role: "assistant", parts: [toolCall("a"), toolCall("b")] },
      { role: "tool", results: [ok(toolCall("b").id)] },
    ];
    const provider = scriptedProvider(answer);
    const { kinds } = await run({ provider, history });
    expect(kinds).toBe("tool_result iteration text usage result");
    expect(provider.sent[0]?.slice(2)).toMatchObject([{ role: "tool", results: [{ id: "a" }, { id: "b" }] }]);
  });

  test("with a result that ends the turn are followed by no turn", async () => {
    const tools: ToolBox = { list: () => [], call: async ({ id }) => ({ ...ok(id), endsTurn: true }) };
    const { kinds, result } = await run({ provider: scriptedProvider(asksFor("a")), tools });
    expect(kinds).toBe("iteration tool_call usage tool_result result");
    expect(result.stopReason).toBe("end_turn");
  });

  test("whose tool box throws, at once or later, harm no other call and show nothing of the error", async () => {
    const heard: unknown[] = [];
    const tools: ToolBox = {
      list: () => [],
      call: ({ id }, { emit }) => {
        if (id === "a") throw new Error("secret 1");
        if (id === "b") return Promise.reject(new Error("secret 2"));
        if (id === "c")
          return emit({ type: "tool_start", id, args: {} }).then(() => Promise.reject(new Error("secret 3")));
        return Promise.resolve(ok(id));
      },
    };
    const provider = scriptedProvider(asksFor("a", "b", "c", "d"), answer);
    const { log, result } = await run({ provider, tools, onFault: (cause) => heard.push(cause) });
    expect(result.stopReason).toBe("end_turn");
    expect(provider.sent[1]?.at(-1)).toMatchObject({
      results: [{ status: "error" }, { status: "error" }, { status: "unknown" }, { status: "ok" }],
    });
    expect(heard).toHaveLength(3);
    expect(JSON.stringify(log)).not.toContain("secret");
  });

  test("whose result bears another id are answered all the same", async () => {
    const tools: ToolBox = { list: () => [], call: async () => ok(toolCall("x").id) };
    const { kinds, result } = await run({ provider: scriptedProvider(asksFor("a"), answer), tools });
    expect(kinds).toBe("iteration tool_call usage tool_result iteration text usage result");
    expect(result.historyDelta[1]).toMatchObject({ results: [{ id: "a" }] });
  });

  test("that flood the run with progress lose some of it, and memory stays bounded", async () => {
    const tools: ToolBox = {
      list: () => [],
      call: async ({ id }, { emit }) => {
        for (let progress = 0; progress < 5000; progress++)
          void emit({ type: "tool_progress", id, progress });
        await emit({ type: "tool_start", id, args: {} });
        return ok(id);
      },
    };
    const { log } = await run({ provider: scriptedProvider(asksFor("a"), answer), tools });
    expect(log.filter(({ type }) => type === "tool_progress")).toHaveLength(256);
    expect(log.filter(({ type }) => type === "tool_start")).toHaveLength(1);
  });
});

describe("Stop", () => {
  test("tells how long a call that was sent had been on its way, and of one that was not, nothing", async () => {
    const abort = new AbortController();
    const tools: ToolBox = {
      list: () => [],
      call: (asked, context) => (asked.id === "a" ? deaf.call(asked, context) : never()),
    };
    const { log } = await run(
      { provider: scriptedProvider(asksFor("a", "b")), tools, signal: abort.signal },
      (chunk) => chunk.type === "tool_start" && setTimeout(() => abort.abort(), 30),
    );
    const times = log.flatMap((chunk) => (chunk.type === "tool_result" ? [chunk.durationMs] : []));
    expect(times).toEqual([expect.any(Number), 0]);
    expect(times[0]).toBeGreaterThanOrEqual(20);
  });

  test("answers every open call: unknown if it was sent, not run if it was not, and its result if it had one", async () => {
    const abort = new AbortController();
    const tools: ToolBox = {
      list: () => [],
      call: async (asked, context) => {
        if (asked.id === "a") return deaf.call(asked, context);
        if (asked.id === "b") return never();
        return ok(asked.id);
      },
    };
    const { kinds, result } = await run(
      { provider: scriptedProvider(asksFor("a", "b", "c", "d")), tools, signal: abort.signal },
      (chunk) => chunk.type === "tool_result" && chunk.result.id === "c" && abort.abort(),
    );
    expect(kinds).toBe(
      "iteration tool_call tool_call tool_call tool_call usage tool_start tool_result tool_result tool_result tool_result result",
    );
    expect(result.stopReason).toBe("aborted");
    expect(result.historyDelta[1]).toMatchObject({
      results: [
        { id: "a", status: "unknown", reason: "cancelled" },
        { id: "b", status: "error" },
        { id: "c", status: "ok" },
        { id: "d", status: "ok" },
      ],
    });
  });

  test("does not call a call cancelled that an earlier run sent", async () => {
    const history: ChatMessage[] = [...asks, { role: "assistant", parts: [toolCall("a"), toolCall("b")] }];
    const { kinds, result } = await run({
      provider: scriptedProvider(),
      history,
      sent: [toolCall("a").id],
      signal: AbortSignal.abort(),
    });
    expect(kinds).toBe("tool_result tool_result result");
    expect(result.historyDelta).toMatchObject([
      {
        results: [
          { id: "a", status: "unknown" },
          { id: "b", status: "error" },
        ],
      },
    ]);
    expect(result.historyDelta[0]).not.toHaveProperty("results.0.reason");
  });

  test.each([
    ["aborted", "the run was stopped", undefined],
    ["interrupted", "Meguri was shut down", undefined],
    ["timeout", "the time of the run was over", "unfinished"],
  ] as const)("%s says so in the results", async (reason, words, ofSent) => {
    const history: ChatMessage[] = [...asks, { role: "assistant", parts: [toolCall("a"), toolCall("b")] }];
    const signal = AbortSignal.abort(new LoopStop(reason));
    const { result } = await run({ provider: scriptedProvider(), history, sent: [toolCall("a").id], signal });
    expect(result.stopReason).toBe(reason);
    expect(result.historyDelta).toMatchObject([
      {
        results: [
          { content: [{ text: `Sent, but it ended before an answer came: ${words}.` }] },
          { reason: "not_run", content: [{ text: `Not run: ${words}.` }] },
        ],
      },
    ]);
    expect(result.historyDelta[0]).toHaveProperty("results.0.status", "unknown");
    if (ofSent) expect(result.historyDelta[0]).toHaveProperty("results.0.reason", ofSent);
    else expect(result.historyDelta[0]).not.toHaveProperty("results.0.reason");
  });

  test("wins over a call that only waits", async () => {
    const abort = new AbortController();
    const tools: ToolBox = {
      list: () => [],
      call: async ({ id }) => {
        if (id === "b") return ok(id);
        return { waiting: "awaiting_input" };
      },
    };
    const { kinds, result } = await run(
      { provider: scriptedProvider(asksFor("a", "b")), tools, signal: abort.signal },
      (chunk) => chunk.type === "tool_result" && abort.abort(),
    );
    expect(kinds).toBe("iteration tool_call tool_call usage tool_result tool_result result");
    expect(result.stopReason).toBe("aborted");
  });

  test("with progress on its way that nobody waits for leaves no rejection unhandled", async () => {
    const abort = new AbortController();
    const tools: ToolBox = withCallTimeout(
      {
        list: () => [],
        call: ({ id }, { emit, signal }) => {
          void emit({ type: "tool_progress", id, progress: 1 });
          void emit({ type: "tool_progress", id, progress: 2 });
          signal.addEventListener("abort", () => void emit({ type: "tool_progress", id, progress: 3 }));
          return never();
        },
      },
      60_000,
    );
    const unhandled: unknown[] = [];
    const note = (cause: unknown) => unhandled.push(cause);
    process.on("unhandledRejection", note);
    const { kinds } = await run(
      { provider: scriptedProvider(asksFor("a")), tools, signal: abort.signal },
      (chunk) => chunk.type === "tool_progress" && abort.abort(),
    );
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    expect(kinds).toBe("iteration tool_call usage tool_progress tool_result result");
    expect(unhandled).toEqual([]);
  });

  test("while the intent is being stored keeps the call from being sent", async () => {
    const abort = new AbortController();
    let isSent = false;
    const tools = withIntents({
      list: () => [],
      call: async ({ id }) => {
        isSent = true;
        return ok(id);
      },
    });
    const { result } = await run(
      { provider: scriptedProvider(asksFor("a")), tools, signal: abort.signal },
      (chunk) => chunk.type === "tool_start" && abort.abort(),
    );
    expect(isSent).toBe(false);
    expect(result.historyDelta[1]).toMatchObject({ results: [{ status: "unknown" }] });
  });
});

test("the intent is stored before the call is sent", async () => {
  const events: string[] = [];
  const tools = withIntents({
    list: () => [],
    call: async ({ id }) => {
      events.push("sent");
      return ok(id);
    },
  });
  await run({ provider: scriptedProvider(asksFor("a"), answer), tools }, async (chunk) => {
    await new Promise(setImmediate); // a disk takes its time
    events.push(chunk.type);
  });
  expect(events.join(" ")).toBe(
    "iteration tool_call usage tool_start sent tool_result iteration text usage result",
  );
});

test.for(["tool_start", "tool_progress"] as const)(
  "a reader that goes away at %s stops the call",
  async (leaveAt) => {
    const events: string[] = [];
    const over = Promise.withResolvers<void>();
    const tools = withIntents({
      list: () => [],
      call: async ({ id }, { signal, emit }) => {
        events.push("sent");
        signal.addEventListener("abort", () => events.push("told to stop"));
        await emit({ type: "tool_progress", id, progress: 1 });
        return never();
      },
    });
    const watched: ToolBox = {
      list: () => [],
      call: (asked, context) => tools.call(asked, context).finally(over.resolve),
    };
    const provider = scriptedProvider(asksFor("a"));
    const { signal } = new AbortController();
    const request = { provider, tools: watched, system: "", history: asks, signal };
    for await (const chunk of executeWithToolsStream(request)) if (chunk.type === leaveAt) break;
    await over.promise;
    expect(events).toEqual(leaveAt === "tool_start" ? [] : ["sent", "told to stop"]);
  },
);

test("wherever the log is cut, its history goes on, and at the end it equals the delta", async () => {
  const provider = scriptedProvider(
    [
      text("x"),
      { type: "reasoning", content: "r", signature: "s1" },
      { type: "reasoning", content: "q", signature: "s2" },
      ...asksFor("a", "b"),
    ],
    answer,
  );
  const { log, result } = await run({ provider, tools: withIntents(adder) });
  const fold = (chunks: Chunk[]) => {
    const transcript = new Transcript();
    for (const chunk of chunks) transcript.add(chunk);
    return transcript.close().delta;
  };
  expect(fold(log)).toEqual(result.historyDelta);
  for (let cut = 0; cut < log.length; cut++) {
    const history = [...asks, ...fold(log.slice(0, cut))];
    const next = await run({ provider: scriptedProvider([text("on"), stop("end_turn")]), history });
    expect(next.result.stopReason).toBe("end_turn");
  }
});

describe("a turn with very many calls", () => {
  const ids = Array.from({ length: 200 }, (_, index) => `c${index}`);

  test("runs 128 of them, 10 at once, in their order; the others are answered with an error", async () => {
    let running = 0;
    let most = 0;
    const started: string[] = [];
    const tools: ToolBox = {
      list: () => [],
      call: async ({ id }) => {
        started.push(id);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return ok(id);
      },
    };
    const provider = scriptedProvider(asksFor(...ids), answer);
    const { result } = await run({ provider, tools });
    expect(started).toEqual(ids.slice(0, 128));
    expect(most).toBe(10);
    const [, round] = result.historyDelta;
    if (round?.role !== "tool") throw new Error("The round has no tool message.");
    const errors = round.results.filter(({ status }) => status === "error");
    expect(errors.map(({ id }) => id)).toEqual(ids.slice(128));
    expect(errors[0]?.content).toEqual([
      {
        type: "text",
        text: "Not run: at most 128 calls of one turn run. Ask for the others in the next turn.",
      },
    ]);
    expect(round.results).toHaveLength(200);
    expect(result.stopReason).toBe("end_turn");
  });

  test("goes on past one that takes long, and reports it when it ends", async () => {
    const slow = Promise.withResolvers<void>();
    let left = 39;
    const tools: ToolBox = {
      list: () => [],
      call: async ({ id }) => {
        if (id === "c0") await slow.promise;
        else if (--left === 0) setImmediate(slow.resolve);
        return ok(id);
      },
    };
    const provider = scriptedProvider(asksFor(...ids.slice(0, 40)), answer);
    const { result } = await run({ provider, tools });
    const [, round] = result.historyDelta;
    if (round?.role !== "tool") throw new Error("The round has no tool message.");
    expect(round.results.map(({ id }) => id)).toEqual(ids.slice(0, 40));
  });

  test("begins none after Stop; those that wait for a person let the next ones go", async () => {
    const abort = new AbortController();
    const started: string[] = [];
    const tools = (outcome: "stop" | "wait"): ToolBox => ({
      list: () => [],
      call: async ({ id }) => {
        started.push(id);
        if (outcome === "wait") return { waiting: "awaiting_approval" };
        if (id === "c3") abort.abort();
        return ok(id);
      },
    });
    const provider = scriptedProvider(asksFor(...ids.slice(0, 40)));
    const stopped = await run({ provider, tools: tools("stop"), signal: abort.signal });
    expect(stopped.result.stopReason).toBe("aborted");
    expect(started).toEqual(ids.slice(0, 10));
    started.length = 0;
    const waits = await run({
      provider: scriptedProvider(asksFor(...ids.slice(0, 40))),
      tools: tools("wait"),
    });
    expect(waits.result.stopReason).toBe("awaiting_approval");
    expect(started).toEqual(ids.slice(0, 40));
  });
});

describe("what people say meanwhile", () => {
  const says = (id: string) => ({
    type: "message" as const,
    id,
    message: { role: "user" as const, parts: [{ type: "text" as const, text: id }] },
  });

  test("goes into the history before the next turn, after the results of the one before", async () => {
    const provider = scriptedProvider(asksFor("a"), answer);
    const said = [undefined, [says("m"), says("n")]];
    const { kinds, log, result } = await run({
      provider,
      tools: withIntents(adder),
      takeSaid: () => {
        const now = said.shift();
        return now && Promise.resolve(now);
      },
    });
    expect(kinds).toBe(
      "iteration tool_call usage tool_start tool_result message message iteration text usage result",
    );
    expect(provider.turns[1]?.history.slice(-3)).toEqual([
      { role: "tool", results: [ok(toolCall("a").id)] },
      says("m").message,
      says("n").message,
    ]);
    const fold = new Transcript(asks);
    for (const chunk of log) fold.add(chunk);
    expect(fold.delta).toEqual(result.historyDelta);
  });

  test("is not asked for when no turn follows", async () => {
    let asked = 0;
    const takeSaid = () => void asked++;
    const provider = scriptedProvider(asksFor("a"), answer);
    await run({ provider, tools: withIntents(adder), takeSaid, maxIterations: 1 });
    expect(asked).toBe(1);
  });

  test("was not said when the run is stopped before it is in the log", async () => {
    const stopping = new AbortController();
    const takeSaid = async () => {
      stopping.abort(new LoopStop("aborted"));
      return [says("m")];
    };
    const provider = scriptedProvider(answer);
    const { kinds } = await run({ provider, takeSaid, signal: stopping.signal });
    expect(kinds).toBe("result");
    expect(provider.turns).toEqual([]);
  });
});
