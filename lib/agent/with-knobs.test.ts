import { expect, test } from "vitest";
import { scriptedProvider, stop, text } from "./testing/scripted";
import { withKnobs } from "./with-knobs";

const turn = () => ({ system: "", history: [], tools: [], signal: new AbortController().signal });

test("a run's knobs go along with each turn, and a turn's own count more", async () => {
  const provider = scriptedProvider([text("a"), stop("end_turn")], [text("b"), stop("end_turn")]);
  const asked = withKnobs(provider, { effort: "low", temperature: 0.5 });
  for await (const _ of asked.stream(turn()));
  for await (const _ of asked.stream({ ...turn(), effort: "high" }));
  expect(provider.turns).toMatchObject([
    { effort: "low", temperature: 0.5 },
    { effort: "high", temperature: 0.5 },
  ]);
});

test("without any it is the provider itself", () => {
  const provider = scriptedProvider();
  expect(withKnobs(provider, {})).toBe(provider);
});
