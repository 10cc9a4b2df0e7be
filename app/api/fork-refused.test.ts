import { describe, expect, test } from "vitest";
import { callTools, say } from "@/lib/providers/testing/steps";
import { readStream } from "./testing/call-api";
import {
  ask,
  byHand,
  callsIn,
  chat,
  detail,
  folder,
  inWords,
  list,
  refused,
  run,
  seqOf,
  twoCalls,
} from "./testing/fork";

describe("is refused", () => {
  test("where no step ends, and the nearest ones are named", async () => {
    const { runId, chunks } = await twoCalls();
    const turn = seqOf(chunks, "usage");
    const round = seqOf(chunks, "tool_result", 2);
    const end = seqOf(chunks, "usage", 2);
    const at = async (afterSeq: number) => (await refused(runId, { afterSeq })).toSpliced(2, 1);
    const names = (before: number | null, after: number | null) => [400, "not_a_step", { before, after }];
    expect(await at(0)).toEqual(names(null, turn));
    expect(await at(2)).toEqual(names(null, turn));
    expect(await at(seqOf(chunks, "tool_result"))).toEqual(names(turn, round));
    expect(await at(seqOf(chunks, "text", 2))).toEqual(names(round, end));
    expect(await at(seqOf(chunks, "result"))).toEqual(names(end, null));
    expect(await at(9_999_999)).toEqual(names(end, null));
  });

  test("with an edit that does not fit the log", async () => {
    const { runId, chunks, conversationId } = await ask(
      [callTools(list("."))],
      [callTools(list("late"))],
      [say("So.")],
    );
    const { messages } = await detail(conversationId);
    const [early, later] = [callsIn(messages[1])[0]?.id, callsIn(messages[3])[0]?.id];
    const turn = seqOf(chunks, "usage");
    const round = seqOf(chunks, "tool_result");
    const second = seqOf(chunks, "tool_result", 2);
    const args = { path: folder };
    const field = (name: string) => expect.stringContaining(`edit.${name}`);
    const tried = (afterSeq: number, edit: object) => refused(runId, { afterSeq, edit });
    expect(await tried(turn, { callId: "call_none", args })).toEqual([
      404,
      "not_found",
      field("callId"),
      undefined,
    ]);
    expect(await tried(round, { callId: later, result: byHand("x") })).toEqual([
      ...[400, "invalid_input", field("callId"), undefined],
    ]);
    expect(await tried(second, { callId: early, args })).toEqual([
      ...[400, "invalid_input", field("callId"), { afterSeq: round }],
    ]);
    expect(await tried(round, { callId: early, args: { path: 7 } })).toEqual([
      ...[400, "invalid_input", field("args"), undefined],
    ]);
    expect(await refused("none", { afterSeq: 1 })).toEqual([404, "not_found", inWords, undefined]);
    expect(await refused(runId, { afterSeq: round, model: "nobody/none" })).toEqual([
      ...[400, "unknown_model", inWords, undefined],
    ]);
    expect((await run(runId)).forks).toEqual([]);
    expect((await detail(conversationId)).messages).toEqual(messages);
  });

  test("with a body that says two things, or too much", async () => {
    const { runId } = await ask([say("Hello.")]);
    const issue = async (body: object) => {
      const [status, code, , details] = await refused(runId, body);
      return [status, code, details?.issues?.[0]?.path];
    };
    const bad = (path: string) => [400, "invalid_input", path];
    const afterSeq = 1;
    const result = byHand("x");
    expect(await issue({})).toEqual(bad("afterSeq"));
    expect(await issue({ afterSeq: -1 })).toEqual(bad("afterSeq"));
    expect(await issue({ afterSeq: 1.5 })).toEqual(bad("afterSeq"));
    expect(await issue({ afterSeq, more: 1 })).toEqual(bad("more"));
    expect(await issue({ afterSeq, edit: {} })).toEqual(bad("edit"));
    expect(await issue({ afterSeq, edit: { callId: "c", args: {}, result } })).toEqual(bad("edit"));
    expect(await issue({ afterSeq, edit: { text: "x", callId: "c", args: {} } })).toEqual(bad("edit"));
    expect(await issue({ afterSeq, edit: { args: {} } })).toEqual(bad("edit.callId"));
    expect(await issue({ afterSeq, edit: { text: "x", callId: "c" } })).toEqual(bad("edit.callId"));
    expect(await issue({ afterSeq, edit: { text: " " } })).toEqual(bad("edit.text"));
    expect(await issue({ afterSeq, edit: { text: "x".repeat(400_001) } })).toEqual(bad("edit.text"));
    expect(await issue({ afterSeq, edit: { callId: "c", args: { a: "x".repeat(64_000) } } })).toEqual(
      bad("edit.args"),
    );
    const long = { status: "ok", content: [1, 2].map(() => ({ type: "text", text: "x".repeat(300_000) })) };
    expect(await issue({ afterSeq, edit: { callId: "c", result: long } })).toEqual(
      bad("edit.result.content"),
    );
    expect((await refused(runId, { afterSeq, edit: { text: "x".repeat(1_000_001) } }))[0]).toBe(413);
    expect((await refused(runId, { afterSeq, title: "x" })).slice(0, 2)).toEqual([422, "not_supported"]);
  });

  test("of a workflow where none of its agents ends a step", async () => {
    const response = await chat({ message: { text: "Plan" }, agent: "document", model: "demo/demo" });
    const { runId, chunks } = await readStream(response);
    const [turn] = chunks.filter(({ type }) => type === "usage");
    expect(await refused(runId, { afterSeq: 1 })).toEqual([
      ...[400, "not_a_step", inWords, { before: null, after: turn?.id }],
    ]);
    const last = chunks.findLast(({ type }) => type === "usage");
    expect((await refused(runId, { afterSeq: last?.id ?? 0 })).slice(0, 2)).toEqual([422, "not_supported"]);
  });
});
