import { expect, test } from "vitest";
import type { Turn } from "./ports";
import { scriptedProvider, stop, text } from "./testing/scripted";
import { withToolChoice } from "./with-tool-choice";

const turn: Turn = {
  system: "",
  history: [{ role: "user", parts: [{ type: "text", text: "Go." }] }],
  tools: [{ name: "desk__work", description: "", inputSchema: {} }],
  signal: new AbortController().signal,
};

/** What the model was told of tools in each of these turns. */
async function told(
  choice: NonNullable<Turn["toolChoice"]>,
  turns: Partial<Turn>[],
  options?: { isFirstTurn: boolean },
) {
  const model = scriptedProvider(...turns.map(() => [text("x"), stop("end_turn")]));
  const provider = withToolChoice(model, choice, options);
  for (const more of turns) for await (const _ of provider.stream({ ...turn, ...more }));
  return model.turns.map(({ toolChoice }) => toolChoice);
}

test("the first turn has to call a tool, the others are free", async () => {
  expect(await told("required", [{}, {}])).toEqual(["required", undefined]);
  const one = { name: "desk__work" };
  expect(await told(one, [{}, {}])).toEqual([one, undefined]);
  expect(await told("required", [{}], { isFirstTurn: false })).toEqual([undefined]);
});

test("none holds for every turn, and what a turn says itself goes first", async () => {
  expect(await told("none", [{}, {}])).toEqual(["none", "none"]);
  expect(await told("required", [{ toolChoice: "none" }])).toEqual(["none"]);
});

test("a turn without tools is told nothing of them", async () => {
  expect(await told("required", [{ tools: [] }])).toEqual([undefined]);
});
