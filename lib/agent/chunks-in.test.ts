import { expect, test } from "vitest";
import type { Chunk, ModelChunk } from "@/lib/protocol/chunk";
import { chunksIn, singly } from "./chunks-in";
import { executeInSteps } from "./execute-with-tools-stream";
import { mapTurn } from "./map-turn";
import { type Provider, ProviderError, type Turn } from "./ports";
import { adder, asks, call, run, stop, text, writes } from "./testing/scripted";
import { withRetry } from "./with-retry";
import { withTurnTimeouts } from "./with-timeouts";

/** Each turn hands out the next lists; an `Error` is thrown in its place. */
function inLists(...turns: (ModelChunk[] | Error)[][]): Provider {
  let turn = 0;
  return {
    async *stream() {
      for (const step of turns[turn++] ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
}

const signal = new AbortController().signal;
const turn: Turn = { system: "", history: asks, tools: [], signal };

test("a run is the same whether chunks come singly or together", async () => {
  const whole = [
    [text("Let me "), text("add."), call("a"), stop("tool_use")],
    [text("4"), stop("end_turn")],
  ];
  const single = await run({ provider: inLists(...whole.map((chunks) => chunks.map((chunk) => [chunk]))) });
  const together = await run({
    provider: withRetry(withTurnTimeouts(inLists(...whole.map((all) => [all])))),
  });
  expect(together.kinds).toBe(single.kinds);
  expect(together.result.historyDelta).toEqual(single.result.historyDelta);
  expect(together.result).toMatchObject({ stopReason: "end_turn", finalText: "4" });
});

test("what stands behind the end of a turn in its list does not count", async () => {
  const { kinds, result } = await run({ provider: inLists([[text("Yes."), stop("end_turn"), text("no")]]) });
  expect([kinds, result.finalText]).toEqual(["iteration text usage result", "Yes."]);
});

test("Stop ends a list in its middle, and the history is what was handed out", async () => {
  const abort = new AbortController();
  const { log, result } = await run(
    { provider: inLists([[text("a"), text("b"), text("c"), stop("end_turn")]]), signal: abort.signal },
    (chunk) => chunk.type === "text" && chunk.content === "b" && abort.abort(),
  );
  expect(log.flatMap((chunk) => (chunk.type === "text" ? chunk.content : []))).toEqual(["a", "b"]);
  expect(result).toMatchObject({ stopReason: "aborted", finalText: "ab" });
});

test("a step of the loop is gone through chunk by chunk; who leaves it in its middle leaves the run", async () => {
  let isClosed = false;
  const provider: Provider = {
    async *stream() {
      try {
        yield [text("a"), text("b")];
        yield stop("end_turn");
      } finally {
        isClosed = true;
      }
    },
  };
  const seen: Chunk["type"][] = [];
  const leave = async () => {
    for await (const step of executeInSteps({ provider, tools: adder, system: "", history: asks, signal }))
      for (const chunk of chunksIn(step)) if (seen.push(chunk.type) === 2) return;
  };
  await leave();
  expect([seen, isClosed]).toEqual([["iteration", "text"], true]);
});

test("a list of arguments alone may come again, one with words may not", async () => {
  const busy = () => new ProviderError("unavailable", "busy", { retryAfterMs: 1 });
  const again = await run({
    provider: withRetry(
      inLists([[writes("a", "{"), writes("a", "}")], busy()], [[text("Yes."), stop("end_turn")]]),
    ),
  });
  expect(again.result).toMatchObject({ stopReason: "end_turn", finalText: "Yes." });
  const begun = await run({ provider: withRetry(inLists([[writes("a", "{"), text("Hm")], busy()])) });
  expect(begun.result).toMatchObject({ stopReason: "error", finalText: "Hm" });
});

test("chunks are changed where they stand in their list, which stays the same where nothing changes", async () => {
  const list = [text("a"), text("b"), stop("end_turn")];
  const shout = mapTurn(inLists([list]), (chunk) =>
    chunk.type === "text" && chunk.content === "b" ? text("B") : chunk,
  );
  const chunks: ModelChunk[] = [];
  for await (const chunk of singly(shout.stream(turn))) chunks.push(chunk);
  expect(chunks).toEqual([text("a"), text("B"), stop("end_turn")]);
  expect(list).toEqual([text("a"), text("b"), stop("end_turn")]);
  for await (const step of mapTurn(inLists([list]), (chunk) => chunk).stream(turn)) expect(step).toBe(list);
});
