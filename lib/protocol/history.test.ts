import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertAccepted, call, ok, stop, toolCall, user } from "@/lib/agent/testing/scripted";
import type { Chunk } from "./chunk";
import { lastText, modelContent, modelHistory, openToolCalls, roundEndsTurn } from "./history";
import type { ToolCallId } from "./ids";
import type { AssistantMessage, ChatMessage, ToolMessage } from "./message";
import { openCalls } from "./open-calls";
import { Transcript } from "./transcript";

const says = (text: string, ...ids: string[]): AssistantMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }, ...ids.map((id) => toolCall(id))],
});
const answers = (...ids: string[]): ToolMessage => ({
  role: "tool",
  results: ids.map((id) => ok(id as ToolCallId)),
});
const ids = (calls: { id: string }[]) => calls.map(({ id }) => id);

describe("openToolCalls", () => {
  test("are those of the last round that no result answers, over several tool messages", () => {
    expect(openToolCalls([user("x")])).toEqual([]);
    expect(ids(openToolCalls([user("x"), says("", "a", "b", "c"), answers("c"), answers("a")]))).toEqual([
      "b",
    ]);
  });

  test("are none once the user has gone on", () => {
    expect(openToolCalls([user("x"), says("", "a"), user("y")])).toEqual([]);
  });
});

test("a round ends the turn when any of its results says so", () => {
  const ends: ToolMessage = { role: "tool", results: [{ ...ok(toolCall("a").id), endsTurn: true }] };
  expect(roundEndsTurn([user("x"), says("", "a", "b"), ends, answers("b")])).toBe(true);
  expect(roundEndsTurn([user("x"), says("", "a"), ends, user("y")])).toBe(false);
});

describe("modelHistory", () => {
  test("of two results of one call the model reads the last", () => {
    const [first, last] = [ok("a" as ToolCallId, "old"), ok("a" as ToolCallId, "new")];
    const sent = modelHistory([user("Hi"), says("", "a"), { role: "tool", results: [first, last] }]);
    expect(sent.at(-1)).toEqual({ role: "tool", results: [last] });
    assertAccepted(sent);
  });

  test("passes on what is right as the same object", () => {
    const history = [user("x"), says("", "a"), answers("a"), says("4"), user("y")];
    expect(modelHistory(history)).toBe(history);
  });

  test("makes one tool message of a round, in call order", () => {
    const history = [user("x"), says("", "a", "b"), answers("b"), answers("a")];
    expect(modelHistory(history)[2]).toEqual(answers("a", "b"));
  });

  test("closes calls that the user passed over as not run", () => {
    const [, , round, last] = modelHistory([user("x"), says("", "a", "b"), answers("b"), user("y")]);
    expect(round).toMatchObject({
      results: [
        { id: "a", status: "error" },
        { id: "b", status: "ok" },
      ],
    });
    expect(last).toEqual(user("y"));
  });

  test("puts a summary in the place of what it covers, except the messages kept before it", () => {
    const summary: ChatMessage = { role: "summary", text: "S", keep: 1 };
    const sent = modelHistory([user("1"), says("2"), user("3"), summary, says("4"), user("5")]);
    expect(sent).toEqual([user("Summary of the conversation so far:\nS"), user("3"), says("4"), user("5")]);
  });

  test("never ends with the model's own words", () => {
    expect(modelHistory([user("x"), says("Half")]).at(-1)).toEqual(user("Continue."));
  });

  test("leaves out results without a call and messages without content", () => {
    const empty: ChatMessage = { role: "assistant", parts: [] };
    expect(modelHistory([user("x"), answers("a"), empty, user("y")])).toEqual([user("x"), user("y")]);
  });

  const message = fc.oneof(
    fc.constant<ChatMessage>(user("u")),
    fc.subarray(["a", "b", "c"]).map<ChatMessage>((calls) => says("t", ...calls)),
    fc.constant<ChatMessage>({ role: "assistant", parts: [] }),
    fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")).map<ChatMessage>((results) => answers(...results)),
    fc.nat(4).map<ChatMessage>((keep) => ({ role: "summary", text: "s", keep })),
  );

  test("of any messages whatsoever is accepted, and mending it again changes nothing", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const sent = modelHistory([...messages, user("end")]);
        assertAccepted(sent);
        expect(modelHistory(sent)).toBe(sent);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("modelContent", () => {
  const id = toolCall("a").id;

  test("tells of edited arguments, a person's hand and an unknown outcome", () => {
    expect(
      modelContent({ ...ok(id, "x"), status: "unknown", args: { path: "y" }, by: "person" }).map(
        (part) => part.type === "text" && part.text,
      ),
    ).toEqual([
      '[The user changed the arguments before the call ran: {"path":"y"}]',
      "[The user entered this result.]",
      "[The outcome is not known. The call may have taken effect. Check before repeating it.]",
      "x",
    ]);
  });

  test("names linked resources in words and keeps files", () => {
    const file = { type: "file", mediaType: "image/png", data: "AA==" } as const;
    const link = { type: "resource_link", uri: "file:///a.txt", name: "a.txt" } as const;
    expect(
      modelContent({
        id,
        status: "ok",
        content: [link, { ...link, title: "Notes", description: "What was said." }, file],
      }),
    ).toEqual([
      { type: "text", text: "[Resource a.txt, file:///a.txt]" },
      { type: "text", text: "[Resource a.txt (Notes), file:///a.txt: What was said.]" },
      file,
    ]);
  });
});

test("lastText is the text of the last answer", () => {
  expect(lastText([says("one"), answers(), says("two", "a"), answers("a")])).toBe("two");
  expect(lastText([user("x")])).toBe("");
});

test("any log, cut anywhere and gone on with anyhow, folds to a history that is accepted", () => {
  const id = fc.constantFrom("a", "b", "c").map((name) => name as ToolCallId);
  const chunk = fc.oneof<fc.Arbitrary<Chunk>[]>(
    fc.constantFrom<Chunk>(
      { type: "text", content: "t" },
      { type: "reasoning", content: "r", signature: "s" },
    ),
    id.map((name) => call(name)),
    fc.constantFrom<Chunk>(stop("tool_use"), stop("end_turn"), stop("max_tokens")),
    fc.constant<Chunk>({ type: "iteration", index: 1 }),
    fc.constant<Chunk>({ type: "message", message: user("m") }),
    fc.nat(3).map<Chunk>((keep) => ({ type: "message", message: { role: "summary", text: "s", keep } })),
    id.map<Chunk>((name) => ({ type: "tool_start", id: name, args: {} })),
    id.map<Chunk>((name) => ({ type: "tool_state", id: name, state: "s" })),
    id.map<Chunk>((name) => ({ type: "tool_result", result: ok(name), durationMs: 1 })),
    id.map<Chunk>((name) => ({
      type: "approval_request",
      requestId: name,
      call: toolCall(name),
      reason: "rule",
    })),
    id.map<Chunk>((name) => ({ type: "answer", requestId: name, id: name, answer: { decision: "approve" } })),
    id.map<Chunk>((name) => ({
      ...{ type: "input_request", requestId: `${name}/1`, id: name, server: "s" },
      ...{ mode: "url", reason: "login", message: "Sign in." },
    })),
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 30 }), (log) => {
      const transcript = new Transcript([user("x")]);
      for (const one of log) transcript.add(one);
      const history = transcript.close().history();
      assertAccepted(modelHistory([...history, user("y")]));
      if (openToolCalls(history).length === 0) assertAccepted(modelHistory(history));
      // Folding in two steps is folding in one, and folding a chunk twice is folding it once.
      const whole = openCalls(log);
      const half = Math.floor(log.length / 2);
      expect(openCalls(log.slice(half), openCalls(log.slice(0, half)))).toEqual(whole);
      expect(openCalls(log.flatMap((one) => [one, one]))).toEqual(whole);
    }),
    { numRuns: 2000 },
  );
});
