import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LoopStop } from "@/lib/agent/ports";
import { call, ended, run, scriptedProvider, stop, text, writes } from "@/lib/agent/testing/scripted";
import type { Chunk, LoopStopReason } from "@/lib/protocol/chunk";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { statusAfter } from "@/lib/protocol/run-status";
import { timeline } from "@/lib/protocol/timeline";
import { continued, losesWords, openRunView, reduceRun } from "./reduce-run";
import { replayRun } from "./replay-run";
import { answerText, type LoopItem, type RunView } from "./run-view";
import { runItem } from "./testing/run-item";

const id = "c1" as ToolCallId;
const reasoning = (content: string) => ({ type: "reasoning", content }) as const;

/** One loop with a thought, a word and a call; one with the answer. */
const twoLoops = () =>
  run({
    provider: scriptedProvider(
      [reasoning("Let "), reasoning("me see."), text("I add"), text("."), call("c1"), stop("tool_use")],
      [text("It is "), text("4."), stop("end_turn")],
    ),
  });

describe("one run", () => {
  it("becomes loops with what happened in them, in its order", async () => {
    const view = reduce(stamped((await twoLoops()).log));
    expect(shape(view)).toEqual([
      ["reasoning Let me see.", "text I add.", "tool c1 done"],
      ["text It is 4."],
    ]);
    expect(view).toMatchObject({ status: "completed", stopReason: "end_turn", iteration: 2, pending: [] });
    expect(view.usage).toEqual({ inputTokens: 2, outputTokens: 2 });
    expect(answerText(view)).toBe("It is 4.");
  });

  it("keeps every object that a chunk does not touch", async () => {
    const log = stamped((await twoLoops()).log);
    const before = reduce(log.slice(0, -3));
    const after = reduceRun(before, { type: "text", content: "more" });
    expect(after.loops[0]).toBe(before.loops[0]);
    expect(after.loops[1]).not.toBe(before.loops[1]);
    expect(after.pending).toBe(before.pending);
  });

  it("measures thought, call and first token on the clock of the log", () => {
    const view = reduce([
      { type: "iteration", index: 1, at: 1000 },
      { type: "reasoning", content: "a", at: 1400 },
      { type: "reasoning", content: "b" },
      { type: "tool_call", call: { type: "tool_call", id, name: "s__t", args: {} }, at: 2000 },
      { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1, at: 2100 },
      { type: "tool_start", id, args: { n: 1 }, at: 2200 },
      { type: "tool_result", result: { id, status: "ok", content: [] }, durationMs: 300, at: 2500 },
    ]);
    expect(view.firstTokenMs).toBe(400);
    expect(view.loops[0]?.items).toMatchObject([
      { kind: "reasoning", text: "ab", startedAt: 1400, endedAt: 2000, done: true },
      { kind: "tool", state: "done", startedAt: 2200, durationMs: 300 },
    ]);
  });

  it("says of a call what became of it", () => {
    const log = [...asked(), ask(), answer("deny"), result("denied")];
    const states = log.map((_, at) => toolState(reduce(log.slice(0, at + 1))));
    expect(states).toEqual(["none", "writing", "writing", "waiting", "writing", "denied"]);
    expect(toolState(reduce([...asked(), { type: "tool_start", id, args: {} }]))).toBe("running");
    expect(toolState(reduce([...asked(), result("error")]))).toBe("failed");
    expect(toolState(reduce([...asked(), result("unknown")]))).toBe("unknown");
  });

  it("drops the calls of a turn that was cut off, as the history does", async () => {
    const { log } = await run({ provider: scriptedProvider([text("a"), call("c1"), stop("max_tokens")]) });
    expect(shape(reduce(log))).toEqual([["text a"]]);
    const broken = await run({ provider: scriptedProvider([text("a"), call("c1"), new Error("gone")]) });
    expect(shape(reduce(broken.log))).toEqual([["text a"]]);
    expect(reduce(broken.log).status).toBe("failed");
  });

  it("shows a call from its first piece on, in the place where the whole then stands", () => {
    const log: Chunk[] = [
      { type: "iteration", index: 1, at: 100 },
      { type: "reasoning", content: "so", at: 150 },
      piece("", "c1", 200),
      piece('{"n":'),
      piece('{"m"', "c2", 250),
      piece(" 1}"),
    ];
    const before = reduce(log);
    expect(before.firstTokenMs).toBe(50);
    expect(before.loops[0]?.items).toMatchObject([
      { kind: "reasoning", done: true, endedAt: 200 },
      { kind: "tool", id: "c1", state: "writing", written: '{"n": 1}', call: { name: "s__t" } },
      { kind: "tool", id: "c2", state: "writing", written: '{"m"' },
    ]);
    const call = { type: "tool_call", id, name: "s__t", args: { n: 1 }, server: "s" } as const;
    const after = reduceRun(before, { type: "tool_call", call, at: 300 });
    expect(after.loops[0]?.items[1]).toEqual({
      ...{ kind: "tool", id, call, state: "writing", args: { n: 1 } },
      ...{ startedAt: null, durationMs: null, progress: null, result: null },
    });
    expect(after.loops[0]?.items[2]).toBe(before.loops[0]?.items[2]);
  });

  it.each<[string, Chunk[]]>([
    ["asked again", [{ type: "notice", kind: "retry", message: "" }]],
    ["mended", [{ type: "notice", kind: "repair", message: "" }]],
    ["cut off", [{ type: "usage", stopReason: "max_tokens", inputTokens: 1, outputTokens: 1 }]],
    ["ended without them", [{ type: "usage", stopReason: "end_turn", inputTokens: 1, outputTokens: 1 }]],
    ["stopped", [end("aborted")]],
    ["begun anew after a crash", [{ type: "iteration", index: 1 }]],
  ])("keeps nothing of the arguments of a turn that was %s", (_, chunks) => {
    const log: Chunk[] = [{ type: "iteration", index: 1 }, piece('{"a'), ...chunks];
    expect(reduce(log).loops.flatMap(({ items }) => items.filter(({ kind }) => kind === "tool"))).toEqual([]);
  });

  it("ends, when it was interrupted, with the chunk before: recovery tells of it at the next start", () => {
    const log: Chunk[] = [
      { type: "iteration", index: 1, at: 100 },
      { type: "text", content: "hal", at: 150 },
    ];
    const found = reduce([...log, end("interrupted", 7_200_000)]);
    expect(found).toMatchObject({ status: "interrupted", lastAt: 150, endedAt: 150, idleMs: 0 });
    expect(found.loops[0]?.endedAt).toBe(150);
    expect(reduce([...log, end("end_turn", 300)])).toMatchObject({ lastAt: 300, endedAt: 300 });
  });

  it("waits with its questions, and has none when it ends otherwise", () => {
    const waits = reduce([...asked(), ask(), end("awaiting_approval")]);
    expect(waits.status).toBe("waiting");
    expect(waits.pending).toHaveLength(1);
    expect(reduce([...asked(), ask(), end("aborted")]).pending).toEqual([]);
  });
});

describe("a chain of runs", () => {
  it("shows an approved call where it was asked for, and does not count the wait", () => {
    const waiting = reduce([...asked(), ask(500), end("awaiting_approval", 600)]);
    const chain = [
      { ...answer("approve"), at: 100_600 },
      { type: "tool_start", id, args: { n: 2 }, at: 100_610 },
      {
        type: "tool_result",
        result: { id, status: "ok", content: [], args: { n: 2 } },
        durationMs: 40,
        at: 100_650,
      },
      { type: "iteration", index: 2, at: 100_700 },
      { type: "text", content: "done", at: 100_800 },
      end("end_turn", 100_900),
    ] satisfies Chunk[];
    const view = chain.reduce(reduceRun, openRunView("b", continued(waiting)));
    expect(shape(view)).toEqual([["tool c1 done"], ["text done"]]);
    expect(view).toMatchObject({ status: "completed", idleMs: 100_000, pending: [] });
    expect(view.loops[0]?.items[0]).toMatchObject({ args: { n: 2 }, startedAt: 610, durationMs: 40 });
  });

  it("asks the model again where it was cut off", () => {
    const cut = reduce([
      ...asked(),
      result("ok"),
      { type: "iteration", index: 2 },
      { type: "text", content: "hal" },
      end("interrupted"),
    ]);
    expect(shape(continued(cut))).toEqual([["tool c1 done"]]);
    const limited = reduce([...asked(), result("ok"), end("max_iterations")]);
    expect(continued(limited)).toBe(limited);
    expect([losesWords(cut), losesWords(limited)]).toEqual([true, false]);
    const wordless = reduce([...asked(), result("ok"), { type: "iteration", index: 2 }, end("aborted")]);
    expect(losesWords(wordless)).toBe(false);
  });
});

describe("a reload", () => {
  it("shows the same as the stream did, for any script", async () => {
    const turn = fc.record({
      thinks: fc.boolean(),
      says: fc.boolean(),
      calls: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
        const scripts = turns.map(({ thinks, says, calls }, n) => [
          ...(thinks ? [reasoning("so"), reasoning(" then")] : []),
          ...(says ? [text("words "), text("words")] : []),
          ...Array.from({ length: calls }, (_, i) => [
            ...(i % 2 === 0 ? [writes(`t${n}c${i}`, ""), writes(`t${n}c${i}`, "{}")] : []),
            call(`t${n}c${i}`),
          ]).flat(),
          stop(calls > 0 ? "tool_use" : "end_turn"),
        ]);
        const { log, result } = await run({
          provider: scriptedProvider(...scripts, [text("end"), stop("end_turn")]),
        });
        const live = reduce(stamped(log));
        const item = runOf(stamped(log), result.stopReason);
        expect(replayRun(item, result.historyDelta as StoredMessage[])).toEqual(live);
      }),
      { numRuns: 60 },
    );
  });

  it("shows a turn that broke before a word came, and the error", async () => {
    const { log, result } = await run({ provider: scriptedProvider([new LoopStop("error", "no")]) });
    const item = { ...runOf(stamped(log), result.stopReason), error: { code: "auth", message: "No key." } };
    const view = replayRun(item, result.historyDelta);
    expect(shape(view)).toEqual([[]]);
    expect(view.error?.message).toBe("No key.");
  });
});

describe("a steering message", () => {
  const steer = (text: string): Chunk => ({
    type: "message",
    id: `m-${text}`,
    message: { role: "user", parts: [{ type: "text", text }] },
  });
  const loop = (index: number, content: string): Chunk[] => [
    { type: "iteration", index },
    { type: "text", content },
  ];
  const places = ({ steering }: RunView) => steering.map(({ text, after }) => `${text} ${after}`);

  it("stands after the loop that ran when it was said, whether it comes before the next one begins or first in it", () => {
    const before = reduce([...loop(1, "one"), steer("a"), steer("b"), ...loop(2, "two")]);
    expect(places(before)).toEqual(["a 1", "b 1"]);
    const summary: Chunk = { type: "message", message: { role: "summary", text: "so far", keep: 0 } };
    const within = reduce([
      ...loop(1, "one"),
      { type: "iteration", index: 2 },
      summary,
      steer("a"),
      { type: "text", content: "two" },
    ]);
    expect(places(within)).toEqual(["a 1"]);
    expect(shape(within)).toEqual([["text one"], ["summary so far", "text two"]]);
    expect(within.steering[0]).toMatchObject({ id: "m-a", files: [] });
  });

  it("opens no loop of its own before the first", () => {
    const view = reduce([steer("a"), ...loop(1, "one")]);
    expect(places(view)).toEqual(["a 0"]);
    expect(view.loops.map(({ number }) => number)).toEqual([1]);
  });

  it("stays when the turn that read it is asked again", () => {
    const cut = reduce([...loop(1, "one"), steer("a"), ...loop(2, "tw"), steer("b"), end("aborted")]);
    expect(places(cut)).toEqual(["a 1", "b 2"]);
    expect(places(continued(cut))).toEqual(["a 1", "b 1"]);
  });
});

it("has a status for every reason to stop", () => {
  expect(statusAfter("timeout")).toBe("completed");
  expect(statusAfter("aborted")).toBe("stopped");
  expect(statusAfter("awaiting_input")).toBe("waiting");
});

function reduce(log: readonly Chunk[]): RunView {
  return log.reduce(reduceRun, openRunView("a"));
}

/** As the log's writer does: every chunk except a piece that continues the one before. */
function stamped(log: readonly Chunk[]): Chunk[] {
  return log.map((chunk, index) =>
    ["text", "reasoning", "tool_input"].includes(chunk.type) && log[index - 1]?.type === chunk.type
      ? chunk
      : { ...chunk, at: 1_700_000_000_000 },
  );
}

/** The run of a stamped log. */
function runOf(log: readonly Chunk[], stopReason: LoopStopReason): RunItem {
  const at = new Date(1_700_000_000_000).toISOString();
  const status = statusAfter(stopReason);
  return runItem({ id: "a", status, startedAt: at, endedAt: at, iterations: timeline(log), stopReason });
}

const asked = (): Chunk[] => [
  { type: "iteration", index: 1, at: 100 },
  { type: "tool_call", call: { type: "tool_call", id, name: "s__t", args: { n: 1 } }, at: 200 },
  { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1, at: 300 },
];
const piece = (content: string, call = "c1", at?: number): Chunk => ({
  ...writes(call, content, "s__t"),
  ...(at !== undefined && { at }),
});
const ask = (at = 400): Chunk => ({
  type: "approval_request",
  requestId: id,
  call: { type: "tool_call", id, name: "s__t", args: { n: 1 } },
  reason: "rule",
  at,
});
const answer = (decision: "approve" | "deny"): Chunk => ({
  type: "answer",
  requestId: id,
  id,
  answer: { decision },
});
const result = (status: "ok" | "error" | "denied" | "unknown"): Chunk => ({
  type: "tool_result",
  result: { id, status, content: [] },
  durationMs: 1,
});
const end = (stopReason: LoopStopReason, at = 1000): Chunk => ({
  ...ended(stopReason, { usage: { inputTokens: 1, outputTokens: 1 } }),
  at,
});

const toolState = (view: RunView) =>
  view.loops.flatMap(({ items }) => items.flatMap((item) => (item.kind === "tool" ? item.state : [])))[0] ??
  "none";

function shape(view: RunView): string[][] {
  return view.loops.map(({ items }) => items.map(inWords));
}

function inWords(item: LoopItem): string {
  switch (item.kind) {
    case "tool":
      return `tool ${item.id} ${item.state}`;
    case "json":
      return `json ${item.text}`;
    case "notice":
      return `notice ${item.about}`;
    case "reasoning":
    case "text":
    case "summary":
      return `${item.kind} ${item.text}`;
  }
}
