import { describe, expect, it } from "vitest";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import { canForkAt, messagesToTurns } from "./messages-to-turns";
import { answerText, emptyRun, type RunView } from "./run-view";
import { runItem } from "./testing/run-item";

const id = "c1" as ToolCallId;
const user = (text: string): ChatMessage => ({ role: "user", parts: [{ type: "text", text }] });
const says = (text: string): ChatMessage => ({ role: "assistant", parts: [{ type: "text", text }] });
const calls: ChatMessage = {
  role: "assistant",
  parts: [{ type: "tool_call", id, name: "s__t", args: { n: 1 } }],
};
const answers: ChatMessage = {
  role: "tool",
  results: [{ id, status: "ok", content: [{ type: "text", text: "4" }] }],
};

describe("turns of a branch", () => {
  it("are the questions with the runs that answer them", () => {
    const messages = branch([user("a"), null], [says("A"), "r1"], [user("b"), null], [says("B"), "r2"]);
    const turns = messagesToTurns(messages, [run("r1", "m0"), run("r2", "m2")]);
    expect(turns.map(({ question, answer }) => [question?.text, answer && answerText(answer.view)])).toEqual([
      ["a", "A"],
      ["b", "B"],
    ]);
  });

  it("show what a person has written, whole, in place of what was streamed", () => {
    const edited: ChatMessage = { role: "assistant", parts: [{ type: "text", text: "Mine" }], by: "person" };
    const messages = branch([user("a"), null], [calls, "r1"], [answers, "r1"], [edited, "r1"]);
    const stopped = run("r1", "m0", { status: "stopped", stopReason: "aborted" });
    const seen: RunView = { ...emptyRun, status: "stopped", loops: [] };
    const [turn] = messagesToTurns(messages, [stopped], () => seen);
    expect(turn?.answer).toMatchObject({ isEdited: true, view: { status: "completed", error: null } });
    expect(turn?.answer && answerText(turn.answer.view)).toBe("Mine");
  });

  it.each([
    [null, "aborted", false],
    [null, "error", false],
    [null, "interrupted", false],
    [null, "timeout", false],
    // Its words were whole, and what came after them broke.
    [40, "aborted", true],
    [40, "end_turn", true],
    // Of a version that kept no times.
    [null, "end_turn", true],
  ] as const)(
    "are forked at their words where these are whole: after %s ms, %s",
    (latencyMs, stopReason, can) => {
      const messages = branch([user("a"), null], [says("one two"), "r1"]);
      const ended = run("r1", "m0", {
        ...{ status: statusAfter(stopReason), stopReason },
        iterations: [{ ...iteration, index: 1, latencyMs }],
      });
      const [turn] = messagesToTurns(messages, [ended]);
      const loop = turn?.answer?.view.loops[0];
      expect(loop?.items).toMatchObject([{ kind: "text", text: "one two" }]);
      expect(loop?.endedAt).not.toBeNull();
      expect(loop && canForkAt(loop, undefined)).toBe(can);
    },
  );

  it("show a run and the one that continues it as one answer", () => {
    const messages = branch([user("a"), null], [calls, "r1"], [answers, "r2"], [says("done"), "r2"]);
    const [turn] = messagesToTurns(messages, [
      run("r1", "m0", { status: "completed", stopReason: "awaiting_approval" }),
      run("r2", "m0", { continues: "r1" }),
    ]);
    const view = turn?.answer?.view;
    expect(view?.loops.map(({ number, items }) => [number, items.map(({ kind }) => kind)])).toEqual([
      [1, ["tool"]],
      [2, ["text"]],
    ]);
    expect(view).toMatchObject({ runId: "r2", status: "completed", stopReason: "end_turn" });
    expect(view?.loops[0]?.items[0]).toMatchObject({ state: "done", args: { n: 1 } });
  });

  it("go on from messages that were kept of another run, of which nothing else shows", () => {
    const loops = [1, 2].map((index) => ({
      ...iteration,
      index,
      usage: { inputTokens: 5, outputTokens: 1 },
    }));
    const old = run("r1", "m0", { iterations: loops, status: "failed", stopReason: "error" });
    const beginning = branch([user("a"), null], [calls, "r1"]);
    const begun = run("r2", "m0", { parentId: "m1", status: "running", stopReason: null });
    const [now] = messagesToTurns(beginning, [old, begun]);
    expect(now?.answer?.view).toMatchObject({ runId: "r2", status: "running", usage: { inputTokens: 5 } });
    expect(now?.answer?.view.loops).toMatchObject([{ items: [{ kind: "tool", state: "writing" }] }]);
    // As a reader of the new run sees it, who is told of that one by its stream.
    const [before] = messagesToTurns(beginning, [old], () => ({ ...emptyRun, status: "failed" }));
    expect(before?.answer?.view.loops).toHaveLength(1);
    const whole = branch([user("a"), null], [calls, "r1"], [answers, "r2"], [says("done"), "r2"]);
    const [after] = messagesToTurns(whole, [old, run("r2", "m0", { parentId: "m1" })]);
    expect(after?.answer?.view).toMatchObject({ status: "completed", error: null });
    expect(after?.answer?.view.loops).toMatchObject([
      { items: [{ kind: "tool", state: "done" }] },
      { items: [{ kind: "text", text: "done" }] },
    ]);
  });

  it("say where they were forked from, also where the fork itself has no message yet and the run after it has", () => {
    const messages = branch([user("a"), null], [says("done"), "r3"]);
    const from = { runId: "r1", seq: 4, edit: null };
    const runs = [
      run("r1", "m0"),
      run("r2", "m0", { forkedFrom: from, status: "completed", stopReason: "awaiting_approval" }),
      run("r3", "m0", { continues: "r2" }),
    ];
    expect(messagesToTurns(messages, runs)[0]?.answer?.fork).toMatchObject({ from, runId: "r2" });
  });

  it("begin with messages that came without their run", () => {
    const messages = branch([user("a"), null], [calls, null], [answers, "r2"], [says("done"), "r2"]);
    const [turn] = messagesToTurns(messages, [run("r2", "m0", { parentId: "m1" })]);
    expect(turn?.answer?.view.runId).toBe("r2");
    expect(turn?.answer?.view.loops).toMatchObject([
      { items: [{ kind: "tool", state: "done" }] },
      { items: [{ kind: "text", text: "done" }] },
    ]);
  });

  it("wait with the questions of their last run", () => {
    const messages = branch([user("a"), null], [calls, "r1"]);
    const call = { type: "tool_call", id, name: "s__t", args: {} } as const;
    const pending: RunItem["pending"] = [{ type: "approval_request", requestId: id, call, reason: "rule" }];
    const [turn] = messagesToTurns(messages, [
      run("r1", "m0", { status: "waiting", stopReason: "awaiting_approval", pending }),
    ]);
    expect(turn?.answer?.view).toMatchObject({ status: "waiting", pending: [{ requestId: id }] });
    expect(turn?.answer?.view.loops[0]?.items).toMatchObject([{ kind: "tool", state: "waiting" }]);
  });

  it("show a call that was answered while others are asked, read anew as in a page that was open", () => {
    const other = "c2" as ToolCallId;
    const both: ChatMessage = {
      role: "assistant",
      parts: [id, other].map((id) => ({ type: "tool_call", id, name: "s__t", args: {} })),
    };
    const asks = (id: ToolCallId) =>
      ({
        type: "approval_request",
        requestId: id,
        call: { type: "tool_call", id, name: "s__t", args: {} },
        reason: "rule",
      }) as const;
    const waits = { status: "waiting", stopReason: "awaiting_approval" } as const;
    const messages = branch([user("a"), null], [both, "r1"]);
    const shown = (pending: RunItem["pending"], rest: Partial<RunItem> = {}, known?: RunView) =>
      messagesToTurns(messages, [run("r1", "m0", { ...waits, pending, ...rest })], () => known)[0]?.answer
        ?.view;
    const before = shown([asks(id), asks(other)]);
    const tools = (view: RunView | undefined) =>
      view?.loops[0]?.items.map((item) => item.kind === "tool" && [item.state, item.said, item.args]);
    for (const [answer, said] of [
      [{ decision: "approve", args: { n: 2 } }, "allowed"],
      [{ decision: "deny" }, "denied"],
      [{ input: { action: "accept" } }, "answered"],
    ] as const) {
      const answers: RunItem["answers"] = [{ type: "answer", requestId: id, id, answer }];
      for (const known of [undefined, before]) {
        const view = shown([asks(other)], { answers }, known);
        expect(tools(view)).toEqual([
          ["writing", said, "args" in answer ? answer.args : {}],
          ["waiting", undefined, {}],
        ]);
        expect(view?.pending.map(({ requestId }) => requestId)).toEqual([other]);
      }
    }
    // A plan is taken back while everything stays open.
    const back: RunItem["answers"] = [{ type: "answer", requestId: "x", answer: { takesBack: "plan" } }];
    for (const known of [undefined, before])
      expect(shown([asks(id), asks(other)], { answers: back }, known)).toMatchObject({
        takenBack: ["plan"],
        pending: [{ requestId: id }, { requestId: other }],
      });
  });

  it("have an answer without a word where the run failed at once", () => {
    const error = { code: "auth", message: "The key is wrong." };
    const failed = run("r1", "m0", { status: "failed", stopReason: "error", error });
    const [turn] = messagesToTurns(branch([user("a"), null]), [failed]);
    expect(turn?.answer).toMatchObject({ messageId: null, view: { status: "failed", error, loops: [] } });
  });

  it("keep an answer that failed without a word when the next question was asked", () => {
    const error = { code: "auth", message: "The key is wrong." };
    const failed = run("r1", "m0", { status: "failed", stopReason: "error", error });
    const messages = branch([user("a"), null], [user("b"), null], [says("B"), "r2"]);
    const turns = messagesToTurns(messages, [failed, run("r2", "m1")], () => undefined, ["m9"]);
    expect(turns.map(({ answer }) => [answer?.view.status, answer?.messageId, answer?.siblings])).toEqual([
      ["failed", null, []],
      ["completed", "m2", ["m2"]],
    ]);
    expect(turns[0]?.answer?.view.error).toEqual(error);
  });

  it("do not show twice the turn that a resume asked again", () => {
    const loop = (index: number) => ({ ...iteration, index });
    const messages = branch([user("a"), null], [calls, "r1"], [answers, "r1"], [says("whole"), "r2"]);
    const [turn] = messagesToTurns(messages, [
      run("r1", "m0", { status: "interrupted", stopReason: "interrupted", iterations: [loop(1), loop(2)] }),
      run("r2", "m0", { continues: "r1", iterations: [loop(1)] }),
    ]);
    expect(turn?.answer?.view.loops).toHaveLength(2);
  });

  it("keep a message that was sent into a running run inside its answer", () => {
    const messages = branch(
      [user("a"), null],
      [calls, "r1"],
      [answers, "r1"],
      [user("note"), "r1"],
      [says("A"), "r1"],
    );
    const turns = messagesToTurns(messages, [run("r1", "m0")]);
    expect(turns).toHaveLength(1);
    const view = turns[0]?.answer?.view;
    expect(view?.loops.map(({ items }) => items.map(({ kind }) => kind))).toEqual([["tool"], ["text"]]);
    expect(view?.steering).toEqual([{ id: "m3", after: 1, text: "note", files: [] }]);
  });

  it("number the versions of an answer that begins with what steered it", () => {
    const messages = branch([user("a"), null], [user("note"), "r1"], [says("A"), "r1"]);
    const versions = messages.map((message) =>
      message.id === "m1" ? { ...message, siblings: ["old", "m1"] } : message,
    );
    const [turn] = messagesToTurns(versions, [run("r1", "m0")]);
    expect(turn?.answer?.view).toMatchObject({ steering: [{ after: 0 }], loops: [{ number: 1 }] });
    expect(turn?.answer).toMatchObject({ messageId: "m2", siblings: ["old", "m2"] });
  });

  it("keep what steered an answer inside it where the page of messages begins with it", () => {
    const messages = branch([user("note"), "r1"], [says("A"), "r1"], [user("b"), null]);
    const turns = messagesToTurns(messages, [run("r1", "gone")]);
    expect(turns.map(({ question }) => question?.text ?? null)).toEqual([null, "b"]);
    expect(turns[0]?.answer?.view.steering).toMatchObject([{ id: "m0", text: "note" }]);
  });

  it("begin without a question where the page of messages does", () => {
    const turns = messagesToTurns(branch([says("tail"), "r1"], [user("b"), null]), [run("r1", "gone")]);
    expect(turns.map(({ question, answer }) => [question?.text ?? null, answer !== null])).toEqual([
      [null, true],
      ["b", false],
    ]);
  });

  it("take the view that a stream left behind, unless the run ended otherwise since", () => {
    const messages = branch([user("a"), null], [says("A"), "r1"]);
    const seen = { ...emptyRun, runId: "r1", status: "completed" as const, firstTokenMs: 7 };
    const shown = (status: RunItem["status"]) =>
      messagesToTurns(messages, [run("r1", "m0", { status })], () => seen)[0]?.answer?.view.firstTokenMs;
    expect(shown("completed")).toBe(7);
    expect(shown("stopped")).not.toBe(7);
    // A list of runs that was read just before the end is older than the stream.
    expect(shown("running")).toBe(7);
  });

  it("take no view of a run whose messages are only the beginning of what another one goes on from", () => {
    const seen = { ...emptyRun, runId: "r1", status: "completed" as const, firstTokenMs: 7 };
    const known = (id: string) => (id === "r1" ? seen : undefined);
    const whole = branch([user("a"), null], [calls, "r1"], [answers, "r1"], [says("A"), "r1"]);
    expect(messagesToTurns(whole, [run("r1", "m0")], known)[0]?.answer?.view.firstTokenMs).toBe(7);
    const [cut] = messagesToTurns(whole.slice(0, 2), [run("r1", "m0")], known);
    expect(cut?.answer?.view.loops).toMatchObject([{ items: [{ kind: "tool", state: "writing" }] }]);
    const [goesOn] = messagesToTurns(
      branch([user("a"), null], [calls, "r1"], [answers, "r2"]),
      [run("r1", "m0", { stopReason: "awaiting_approval" }), run("r2", "m0", { continues: "r1" })],
      known,
    );
    expect(goesOn?.answer?.view.loops).toMatchObject([{ items: [{ kind: "tool", state: "done" }] }]);
  });

  it("show imported messages without any run", () => {
    const [turn] = messagesToTurns(branch([user("a"), null], [says("A"), null]), []);
    expect(turn?.answer && answerText(turn.answer.view)).toBe("A");
  });

  it("number the versions of questions and answers", () => {
    const messages = branch([user("a"), null], [says("A"), "r1"]).map((message) => ({
      ...message,
      siblings: [message.id, `${message.id}b`],
    }));
    const [turn] = messagesToTurns(messages, [run("r1", "m0")]);
    expect([turn?.question?.siblings, turn?.answer?.siblings]).toEqual([
      ["m0", "m0b"],
      ["m1", "m1b"],
    ]);
  });
});

const at = "2026-11-21T00:00:00.000Z";

function branch(...messages: [ChatMessage, string | null][]): StoredMessage[] {
  return messages.map(([message, runId], n) => ({
    ...message,
    id: `m${n}`,
    parentId: n === 0 ? null : `m${n - 1}`,
    runId,
    model: null,
    createdAt: at,
    siblings: [`m${n}`],
  }));
}

const iteration = {
  startedAt: at,
  timeToFirstTokenMs: 1,
  latencyMs: 2,
  usage: { inputTokens: 0, outputTokens: 0 },
  toolCalls: [],
};

const run = (id: string, messageId: string, rest: Partial<RunItem> = {}): RunItem =>
  runItem({ id, messageId, ...rest });
