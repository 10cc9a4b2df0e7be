import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertAccepted, call, ended, ok, stop, text, toolCall, user } from "@/lib/agent/testing/scripted";
import type { Chunk } from "./chunk";
import { callsOfLastRound, type ForkEdit, forkAnswer } from "./fork";
import { type ForkStep, findStep } from "./fork-step";
import { callsIn, modelHistory, openToolCalls } from "./history";
import type { ToolCallId } from "./ids";
import type { ChatMessage, ToolResult } from "./message";
import { growth } from "./testing/growth";
import { Transcript } from "./transcript";

const id = (name: string) => name as ToolCallId;
const result = (name: string): Chunk => ({ type: "tool_result", result: ok(id(name), name), durationMs: 1 });
const start = (name: string): Chunk => ({ type: "tool_start", id: id(name), args: {} });
const base: ChatMessage[] = [user("Do it.")];
const nothing = { results: new Map<ToolCallId, ToolResult>(), sent: new Set<ToolCallId>() };
const stepAt = (log: readonly Chunk[], seq: number): ForkStep => {
  const step = findStep(base, log, seq);
  if (!("kind" in step)) throw new Error(`${seq} is no step.`);
  return step;
};

/** A log of whole turns and rounds that may break off, and where its steps end. */
interface Told {
  log: Chunk[];
  steps: number[];
}

const calls = fc.array(
  fc.record({
    status: fc.constantFrom<ToolResult["status"]>("ok", "error", "denied", "unknown"),
    nested: fc.boolean(),
    endsTurn: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);
const turn = fc.record({
  words: fc.nat(2),
  thought: fc.boolean(),
  calls,
  said: fc.constantFrom<ChatMessage | undefined>(undefined, user("And?"), {
    role: "summary",
    text: "Before.",
    keep: 1,
  }),
  order: fc.boolean(),
});
const runs = fc.record({
  turns: fc.array(turn, { maxLength: 4 }),
  last: fc.constantFrom("words", "nothing", "cut", "max_tokens", "broken", "waiting", "sent"),
});

function tell({ turns, last }: typeof runs extends fc.Arbitrary<infer Value> ? Value : never): Told {
  const log: Chunk[] = [];
  const steps: number[] = [];
  const add = (...chunks: Chunk[]) => log.push(...chunks);
  const end = () => steps.push(log.length);
  const begin = (index: number, said?: ChatMessage) => {
    if (said?.role === "user" || said?.role === "summary") add({ type: "message", message: said });
    add({ type: "iteration", index });
  };
  for (const [at, { words, thought, calls, said, order }] of turns.entries()) {
    begin(at + 1, said);
    if (thought) add({ type: "reasoning", content: "r", signature: "s" });
    for (let word = 0; word < words; word++) add(text("t"));
    const names = calls.map((_, index) => `c${at}${index}`);
    add(
      ...names.map((name) => call(name)),
      { type: "notice", kind: "repair", message: "n" },
      stop("tool_use"),
    );
    end();
    add(...names.map(start));
    for (const [index, { status, nested, endsTurn }] of order
      ? [...calls.entries()]
      : [...calls.entries()].reverse()) {
      const name = names[index] ?? "";
      if (nested)
        add({ ...text("nested"), agent: `sub#${name}` }, { ...stop("end_turn"), agent: `sub#${name}` });
      const given: ToolResult = { ...ok(id(name), name), status, ...(endsTurn && { endsTurn }) };
      add({ type: "tool_result", result: given, durationMs: 1 });
    }
    end();
  }
  begin(turns.length + 1);
  switch (last) {
    case "words":
    case "max_tokens":
      add(text("The "), text("end"), stop(last === "words" ? "end_turn" : last));
      end();
      break;
    case "nothing":
      add(stop("end_turn"));
      end();
      break;
    case "cut":
      add(text("The "), call("gone"));
      break;
    case "broken":
      add(text("The "), { type: "iteration", index: turns.length + 2 }, text("end"), stop("end_turn"));
      end();
      break;
    case "waiting":
    case "sent":
      add(call("x0"), call("x1"), stop("tool_use"));
      end();
      add(start("x0"), result("x0"), ...(last === "sent" ? [start("x1")] : []));
  }
  add(ended("end_turn"));
  return { log, steps };
}

function outcomeOf(log: readonly Chunk[]) {
  const results = new Map<ToolCallId, ToolResult>();
  const sent = new Set<ToolCallId>();
  for (const chunk of log)
    if (chunk.type === "tool_result") results.set(chunk.result.id, chunk.result);
    else if (chunk.type === "tool_start") sent.add(chunk.id);
  return { results, sent };
}

/** Every kind of edit that fits at the step. */
function editsAt(answer: readonly ChatMessage[]): (ForkEdit | undefined)[] {
  const known = answer.flatMap(callsIn);
  return [
    undefined,
    { text: "By hand." },
    ...callsOfLastRound(answer).map((one) => ({ callId: one.id, args: { by: "hand" } })),
    ...known.map((one) => ({
      callId: one.id,
      result: { status: "ok" as const, content: [{ type: "text" as const, text: "By hand." }] },
    })),
  ];
}

const resultsIn = (messages: readonly ChatMessage[]) =>
  new Map(
    messages
      .flatMap((message) => (message.role === "tool" ? message.results : []))
      .map((one) => [one.id, one]),
  );

describe("a fork of any run, at every step, with every kind of edit", () => {
  test("the steps are the ends of turns and of whole rounds, and other events name the nearest", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { log, steps } = tell(run);
        for (let seq = 0; seq <= log.length + 2; seq++) {
          const step = findStep(base, log, seq);
          if (steps.includes(seq)) expect("kind" in step).toBe(true);
          else
            expect(step).toEqual({
              before: steps.findLast((end) => end < seq) ?? null,
              after: steps.find((end) => end > seq) ?? null,
            });
        }
      }),
    );
  });

  test("the history up to there is the parent's, and what follows is one that every provider accepts", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { log, steps } = tell(run);
        const outcome = outcomeOf(log);
        for (const seq of steps) {
          const step = stepAt(log, seq);
          const parent = new Transcript(base);
          for (const chunk of log.slice(0, seq)) parent.add(chunk);
          expect(step.delta).toEqual(parent.delta);
          for (const edit of editsAt(step.delta)) checkFork(step, edit, outcome);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function checkFork(step: ForkStep, edit: ForkEdit | undefined, outcome: ReturnType<typeof outcomeOf>): void {
  let minted = 0;
  const before = structuredClone(step.delta);
  const fork = forkAnswer(step.delta, step, { edit, outcome, newId: () => id(`new${minted++}`) });
  expect(step.delta).toEqual(before);
  const messages = fork.messages.map(({ message }) => message);
  const known = new Set(step.delta.flatMap(callsIn).map((one) => one.id));

  // Nothing is open but the call with other arguments and what was never sent.
  const open = openToolCalls(messages);
  const unsent = openToolCalls(step.delta).filter(
    (one) => !outcome.sent.has(one.id) && !outcome.results.has(one.id),
  );
  const isText = edit !== undefined && "text" in edit;
  const given = edit && "result" in edit ? edit.callId : undefined;
  const anew = edit && "args" in edit ? 1 : 0;
  const isUnsent = edit && "args" in edit && unsent.some((one) => one.id === edit.callId);
  const left = unsent.filter((one) => one.id !== given).length;
  expect(open).toHaveLength(isText ? 0 : left + (isUnsent ? 0 : anew));
  for (const one of open) expect(known.has(one.id)).toBe(false);
  if (anew) expect(open.map((one) => one.id)).toContain(fork.as);

  // Every other call has the result that it had.
  const results = resultsIn(messages);
  for (const one of messages.flatMap(callsIn)) {
    if (!known.has(one.id)) continue;
    if (one.id === given) expect(results.get(one.id)).toMatchObject({ by: "person", status: "ok" });
    else if (outcome.results.has(one.id)) expect(results.get(one.id)).toEqual(outcome.results.get(one.id));
    else expect(results.get(one.id)).toMatchObject({ status: "unknown", reason: "unfinished" });
  }

  // What is not edited stands as it stood, and says where it comes from.
  const kept = isText ? messages.length - 1 : messages.length;
  for (const { at, message } of fork.messages.slice(0, kept)) {
    if (at === undefined || message.role === "tool" || callsIn(message).some((one) => !known.has(one.id)))
      continue;
    expect(message).toBe(step.delta[at]);
  }
  if (isText) {
    expect(messages.at(-1)).toEqual({
      role: "assistant",
      parts: [{ type: "text", text: "By hand." }],
      by: "person",
    });
    expect(fork.isWhole).toBe(true);
  }
  if (fork.isWhole) expect(open).toEqual([]);

  const answered: ChatMessage = { role: "tool", results: open.map((one) => ok(one.id)) };
  const history = [...base, ...messages, ...(open.length > 0 ? [answered] : [])];
  const sent = modelHistory(history);
  assertAccepted(sent);
  expect(modelHistory(sent)).toBe(sent);
}

const asksTwo: Chunk[] = [
  { type: "iteration", index: 1 },
  text("Both."),
  call("a"),
  call("b"),
  stop("tool_use"),
];

test("neighbours of a call with other arguments keep their results, also those that came later", () => {
  const log = [...asksTwo, start("a"), start("b"), result("b"), result("a"), ended("end_turn")];
  for (const seq of [5, 9]) {
    const step = stepAt(log, seq);
    const { messages, as } = forkAnswer(step.delta, step, {
      ...{ edit: { callId: id("a"), args: { x: 1 } }, outcome: outcomeOf(log), newId: () => id("a2") },
    });
    expect(as).toBe("a2");
    expect(messages.map(({ message }) => message)).toEqual([
      { role: "assistant", parts: [{ type: "text", text: "Both." }, toolCall("a2"), toolCall("b")] },
      { role: "tool", results: [ok(id("b"), "b")] },
    ]);
  }
});

test("words in place of a turn that said nothing leave the round before it as it is", () => {
  const log = [
    ...asksTwo,
    result("a"),
    result("b"),
    { type: "iteration", index: 2 } as const,
    stop("end_turn"),
  ];
  const step = stepAt(log, log.length);
  const { messages } = forkAnswer(step.delta, step, {
    edit: { text: "So." },
    outcome: nothing,
    newId: () => id("n"),
  });
  expect(messages.map(({ message }) => message.role)).toEqual(["assistant", "tool", "assistant"]);
});

test("an answer that its limit of tokens cut off is gone on from, and one that ended is not", () => {
  const isWhole = (reason: "end_turn" | "max_tokens") => stepAt([text("Half"), stop(reason)], 2).isEnd;
  expect([isWhole("end_turn"), isWhole("max_tokens")]).toEqual([true, false]);
});

test("four times as many calls in a round are four times the work, in whatever order they end", () => {
  const log = (size: number, isReversed: boolean): Chunk[] => {
    const names = Array.from({ length: size }, (_, at) => `c${at}`);
    return [
      { type: "iteration", index: 1 },
      ...names.map((name) => call(name)),
      stop("tool_use"),
      ...(isReversed ? names.toReversed() : names).map(result),
    ];
  };
  for (const isReversed of [false, true]) {
    const logs = new Map([1_000, 4_000].map((size) => [size, log(size, isReversed)]));
    const find = (size: number) => stepAt(logs.get(size) ?? [], 2 + 2 * size);
    expect(growth(1_000, find)).toBeLessThan(8);
  }
});
