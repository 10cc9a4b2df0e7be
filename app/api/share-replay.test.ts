import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { AnswerReplay } from "@/lib/client/run/answer-replay";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import { placeAt, replayClock } from "@/lib/client/run/replay-clock";
import type { LoopView, RunView } from "@/lib/client/run/run-view";
import { replayTurns } from "@/lib/client/run/share-replay";
import { runItem } from "@/lib/client/run/testing/run-item";
import type { Chunk } from "@/lib/protocol/chunk";
import type { StoredMessage } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { redactedMark } from "@/lib/protocol/redacted-text";
import { statusAfter } from "@/lib/protocol/run-status";
import type { ReplayStep } from "@/lib/protocol/share-replay";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { timeline } from "@/lib/protocol/timeline";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say, think } from "@/lib/providers/testing/steps";
import { replaySteps } from "@/lib/server/shares/replay-steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

let turns: Step[][] = [];
const model = await startOpenAiServer(() => turns.shift() ?? [], { capabilities: ["completion", "tools"] });
afterAll(() => model.close());
withApplication(
  { payroll: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const began = 1_700_000_000_000;
const question = { id: "q", role: "user", parts: [{ type: "text", text: "?" }], runId: null } as const;
const place = { parentId: null, model: null, createdAt: new Date(began).toISOString(), siblings: [] };

/** As the writer of a log does it, a second between one chunk and the next. */
function stamped(log: readonly Chunk[]): (Chunk & { at?: number })[] {
  const pieces = ["text", "reasoning", "tool_input"];
  return log.map((chunk, at) =>
    pieces.includes(chunk.type) && log[at - 1]?.type === chunk.type
      ? chunk
      : { ...chunk, at: began + at * 1_000 },
  );
}

function copyOf(log: readonly Chunk[], history: readonly object[]): ShareSnapshot {
  const messages = [
    { ...question, ...place },
    ...history.map((message, at) => ({ ...message, ...place, id: `m${at}`, runId: "r1" })),
  ] as unknown as StoredMessage[];
  const steps = replaySteps({
    log,
    from: began,
    messages: messages.slice(1).map((message, at) => ({ message, shown: message, at: at + 1 })),
    isFull: () => true,
    tell: (name) => name,
  });
  const result = log.findLast((chunk) => chunk.type === "result");
  const stopReason = result?.result.stopReason ?? "end_turn";
  const item = runItem({
    ...{ messageId: "q", status: statusAfter(stopReason), iterations: timeline(log), stopReason },
  });
  return {
    ...{ title: "?", createdAt: place.createdAt, messages, runs: [item] },
    replay: { runs: steps ? [{ runId: "r1", from: began, steps }] : [] },
  };
}

/** Without what a copy does not hold: questions to a person, and how far arguments were written. */
function inCopy(view: RunView): RunView {
  const loops = view.loops.map(
    (loop): LoopView => ({
      ...loop,
      items: loop.items.map((item) => {
        if (item.kind !== "tool") return item;
        const { written, said: _, ...tool } = item;
        return {
          ...tool,
          state: tool.state === "waiting" ? "writing" : tool.state,
          ...(written !== undefined && { written: "" }),
        };
      }),
    }),
  );
  return { ...view, loops, pending: [], error: null };
}

const words = fc.array(fc.string({ minLength: 1, maxLength: 6, unit: "grapheme" }), {
  minLength: 1,
  maxLength: 5,
});
const turnSpec = fc.record({
  thoughts: fc.array(fc.string({ minLength: 1 })),
  said: words,
  calls: fc.nat(3),
  pieces: fc.nat(3),
});
type TurnSpec = typeof turnSpec extends fc.Arbitrary<infer T> ? T : never;

/** A log as a run writes it, and the messages that it becomes. */
function written(specs: readonly TurnSpec[]): { log: Chunk[]; history: object[] } {
  const log: Chunk[] = [];
  const history: object[] = [];
  for (const [turn, { thoughts, said, calls, pieces }] of specs.entries()) {
    const ids = Array.from({ length: calls }, (_, at) => `c${turn}.${at}` as ToolCallId);
    const called = ids.map((id, at) => ({ type: "tool_call", id, name: "demo__add", args: { at } }) as const);
    log.push({ type: "iteration", index: turn + 1 });
    log.push(...thoughts.map((content): Chunk => ({ type: "reasoning", content })));
    log.push(...said.map((content): Chunk => ({ type: "text", content })));
    for (const call of called) {
      const piece: Chunk = { type: "tool_input", id: call.id, name: call.name, content: "{" };
      log.push(...Array.from({ length: pieces }, () => piece), { type: "tool_call", call });
    }
    const stopReason = calls > 0 ? "tool_use" : "end_turn";
    log.push({ type: "usage", inputTokens: turn, outputTokens: 2, stopReason });
    history.push({
      role: "assistant",
      parts: [
        ...(thoughts.length > 0 ? [{ type: "reasoning", text: thoughts.join("") }] : []),
        { type: "text", text: said.join("") },
        ...called,
      ],
    });
    if (calls === 0) continue;
    const [asked] = called;
    if (asked && pieces > 0)
      log.push(
        { type: "approval_request", requestId: asked.id, call: asked, reason: "rule" },
        { type: "answer", requestId: asked.id, id: asked.id, answer: { decision: "approve" } },
      );
    log.push(...called.map(({ id, args }): Chunk => ({ type: "tool_start", id, args })));
    const results = ids.map((id) => ({ id, status: "ok", content: [{ type: "text", text: id }] }) as const);
    // They end in another order than they have begun.
    const ends = [...results].reverse().map((result): Chunk => {
      return { type: "tool_result", result: { ...result, content: [...result.content] }, durationMs: 5 };
    });
    log.push(...ends);
    history.push({ role: "tool", results });
  }
  const usage = { inputTokens: 0, outputTokens: 0 };
  const told = { historyDelta: [], finalText: "", iterationsUsed: 1, timedOut: false, usage };
  log.push({ type: "result", result: { ...told, stopReason: "end_turn" } });
  return { log, history };
}

test("the replay of a log equals the live view at every moment", () => {
  const chances = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(turnSpec, { minLength: 1, maxLength: 5 }), chances, (specs, jumps) => {
      const { log, history } = written(specs);
      const live = stamped(log);
      const [turn] = replayTurns(copyOf(live, history));
      const replay = new AnswerReplay(turn?.events ?? []);
      const moments: { at: number; view: RunView }[] = [];
      let view = openRunView("r1");
      for (const chunk of live) {
        if (chunk.at !== undefined) moments.push({ at: chunk.at - 0.001, view: inCopy(view) });
        view = reduceRun(view, chunk);
      }
      moments.push({ at: began + log.length * 1_000, view: inCopy(view) });
      moments.shift();
      // Forwards, as it plays, and to and fro, as it is sought.
      const sought = jumps.flatMap((chance) => moments[Math.floor(chance * moments.length)] ?? []);
      for (const { at, view } of [...moments, ...sought]) expect(replay.viewAt(at)).toEqual(view);
    }),
    { numRuns: 100 },
  );
});

test("any moment of a long answer is found, wherever the replay was before", () => {
  const pieces = Array.from(
    { length: 1_000 },
    (_, at): Chunk => ({
      ...{ type: at % 2 === 0 ? "text" : "reasoning", content: `${at} ` },
    }),
  );
  const log = stamped([{ type: "iteration", index: 1 }, ...pieces]);
  const parts = pieces.map((piece) => ({ type: piece.type, text: "content" in piece ? piece.content : "" }));
  const [turn] = replayTurns(copyOf(log, [{ role: "assistant", parts }]));
  const replay = new AnswerReplay(turn?.events ?? []);
  for (const at of [900, 3, 257, 511, 512, 256, 999, 1, 700])
    expect(replay.viewAt(began + (at + 1) * 1_000 - 0.001)).toEqual(
      log.slice(0, at + 1).reduce(reduceRun, openRunView("r1")),
    );
});

test("between two moments a text only grows, and never ends within a character", () => {
  const log = stamped([
    { type: "iteration", index: 1 },
    ...["👩‍👩‍👧 ", "🎉🎉", " done"].map((content): Chunk => ({ type: "text", content })),
    { type: "usage", stopReason: "end_turn", inputTokens: 1, outputTokens: 1 },
  ]);
  const text = "👩‍👩‍👧 🎉🎉 done";
  const [turn] = replayTurns(copyOf(log, [{ role: "assistant", parts: [{ type: "text", text }] }]));
  const replay = new AnswerReplay(turn?.events ?? []);
  let before = "";
  for (let ms = 1_000; ms <= 4_000; ms += 37) {
    const item = replay.viewAt(began + ms).loops[0]?.items[0];
    const now = item?.kind === "text" ? item.text : "";
    expect(now.startsWith(before) && text.startsWith(now) && now.isWellFormed()).toBe(true);
    before = now;
  }
  expect(before).toBe(text);
});

test("a wait for a person takes two seconds, or none, and what ran takes as long as it took", () => {
  const id = "c1" as ToolCallId;
  const call = { type: "tool_call", id, name: "demo__add", args: {} } as const;
  const at = (seconds: number) => ({ at: began + seconds * 1_000 });
  const log: Chunk[] = [
    { type: "iteration", index: 1, ...at(0) },
    { type: "tool_call", call, ...at(1) },
    { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1, ...at(1) },
    { type: "approval_request", requestId: "a", call, reason: "rule", ...at(1) },
    { type: "answer", requestId: "a", id, answer: { decision: "approve" }, ...at(39) },
    { type: "tool_start", id, args: {}, ...at(39) },
    { type: "tool_result", result: { id, status: "ok", content: [] }, durationMs: 4_000, ...at(43) },
  ];
  const history = [
    { role: "assistant", parts: [call] },
    { role: "tool", results: [{ id, status: "ok", content: [] }] },
  ];
  const turns = replayTurns(copyOf(log, history));
  const clock = replayClock(turns, false);
  expect(clock.duration).toBe(7_000);
  expect(clock.bars).toEqual([
    { from: 0, to: 1_000, lane: 0, isFailed: false },
    { from: 3_000, to: 7_000, lane: 1, isFailed: false },
  ]);
  expect(placeAt(clock, 2_000)).toEqual({ turn: 0, at: began + 20_000 });
  expect(replayClock(turns, true).duration).toBe(5_000);
  expect(JSON.stringify(copyOf(log, history).replay)).not.toMatch(/approve|rule/);
});

const mark = redactedMark("e-mail address", "aiko@acme.dev");

test("steps name nothing that the copy does not show", () => {
  const id = "c1" as ToolCallId;
  const parts = [
    { type: "reasoning", text: "thought" },
    { type: "text", text: "mail aiko@acme.dev" },
    { type: "tool_call", id, name: "pay__get", args: { key: "canary" } },
  ] as const;
  const message = { ...place, id: "m", runId: "r", role: "assistant", parts: [...parts] } as StoredMessage;
  const shown = {
    ...message,
    parts: [
      { type: "text", text: `mail ${mark}` },
      { ...parts[2], args: {} },
    ],
  } as StoredMessage;
  const log = stamped([
    { type: "iteration", index: 1 },
    { type: "reasoning", content: "thought" },
    { type: "text", content: "mail aiko@" },
    { type: "notice", kind: "budget", message: "canary" },
    { type: "text", content: "acme.dev" },
    { type: "tool_input", id, name: "pay__get", content: '{"key":"canary' },
    { type: "tool_call", call: parts[2] },
    { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1 },
  ]);
  const steps = replaySteps({
    ...{ log, from: began, messages: [{ message, shown, at: 0 }] },
    ...{ isFull: () => false, tell: (name: string) => name },
  });
  expect(JSON.stringify(steps)).not.toMatch(/canary|thought|aiko/);
  const told: ReplayStep["is"][] = ["loop", "part", "notice", "part", "call", "turn"];
  expect(steps?.map(({ is }) => is)).toEqual(told);
  expect(steps?.filter(({ is }) => is === "part")).toMatchObject([
    { part: 0 },
    { part: 0, to: 5 + mark.length },
  ]);
  const edited = { ...message, by: "person" } as StoredMessage;
  expect(
    replaySteps({
      log,
      from: began,
      messages: [{ message: edited, shown, at: 0 }],
      isFull: () => true,
      tell: String,
    }),
  ).toBeNull();
});

const canary = (name: string) => `canary-${name}`;

test("a link plays what it shows, over the wire, and keeps it through its updates", async () => {
  turns = [
    [
      think(canary("thought")),
      say("I look. "),
      callTools({ name: "payroll__echo", args: { text: canary("args") } }),
    ],
    [say(`Done for aiko@acme.dev and ${"word ".repeat(20)}`)],
  ];
  const message = { text: "Look" };
  const { conversationId } = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message }),
  );
  const policy = { default: "hidden", reasoning: false, attachments: false };
  const share = (body: object) => callApi("POST", `/api/conversations/${conversationId}/shares`, body);
  const { id, token, preview } = await (await share({ policy, replay: true, redact: true })).json();
  const open = async () => {
    const response = await callApi("GET", `/api/share/${token}`, undefined, { authorization: "" });
    const text = await response.text();
    expect(text).not.toMatch(/canary|aiko/);
    return JSON.parse(text).snapshot as ShareSnapshot;
  };
  const snapshot = await open();
  expect(snapshot).toEqual(preview);
  const [turn] = replayTurns(snapshot);
  const last = turn?.events.at(-1);
  expect(last?.step.is).toBe("end");
  const { loops, status } = new AnswerReplay(turn?.events ?? []).viewAt(last?.at ?? 0);
  expect(status).toBe("completed");
  expect(loops.map(({ items }) => items.map(({ kind }) => kind))).toEqual([["text", "tool"], ["text"]]);
  expect(loops).toMatchObject(
    turn?.turn.answer?.view.loops.map(({ items }) => ({ items: items.map(({ kind }) => ({ kind })) })) ?? [],
  );
  expect(loops.at(-1)?.items[0]).toMatchObject({
    text: `Done for ${mark} and ${"word ".repeat(20)}`,
  });
  await callApi("PATCH", `/api/shares/${id}`, { refresh: true, redact: true });
  expect((await open()).replay?.runs).toHaveLength(1);
  await callApi("PATCH", `/api/shares/${id}`, { replay: false, redact: true });
  expect(await open()).not.toHaveProperty("replay");
});
