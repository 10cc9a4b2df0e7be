import { expect, it } from "vitest";
import { ended, text } from "@/lib/agent/testing/scripted";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import type { RunView } from "@/lib/client/run/run-view";
import type { Chunk } from "@/lib/protocol/chunk";
import { type ConversationState, emptyConversation } from "./conversation-state";
import { steady } from "./steady-state";
import { sendingTurn } from "./turn-list";

const turn = sendingTurn("k1", { text: "Why?", files: [] }, { model: "m" });
const first = [...[{ type: "iteration", index: 1 } as Chunk], text("Because ")].reduce(
  reduceRun,
  openRunView("r1"),
);

it("stays the same object while the text of the last answer grows", () => {
  const before = shown(first);
  expect(steady(before, shown(reduceRun(first, { ...text("it is"), at: 5 })))).toBe(before);
});

it("is another one when a loop begins, something is asked, or the run ends", () => {
  const asked: Chunk = { type: "budget_request", requestId: "b1", limit: "cost", of: 1, used: { cost: 1 } };
  for (const chunk of [{ type: "iteration", index: 2 } as Chunk, asked, ended("end_turn")]) {
    const after = shown(reduceRun(first, chunk));
    expect([chunk.type, steady(shown(first), after) === after]).toEqual([chunk.type, true]);
  }
});

it("is another one when anything beside the answer changes, or what waits changes", () => {
  const before = shown(first);
  for (const after of [
    { ...before, title: "Why" },
    { ...before, turns: [{ ...turn, key: "k2" }] },
    { ...before, turns: [...before.turns, turn] },
  ])
    expect(steady(before, after)).toBe(after);
  const waiting: RunView = { ...first, pending: [{ type: "budget_request", requestId: "b1" } as never] };
  const later = shown({ ...waiting, lastAt: 9 });
  expect(steady(shown(waiting), later)).toBe(later);
});

function shown(view: RunView): ConversationState {
  const answer = turn.answer && { ...turn.answer, siblings: [], view };
  return { ...emptyConversation, id: "c1", phase: "ready", turns: [{ ...turn, answer }] };
}
