import { expect, it } from "vitest";
import { chaptersOf, outputOf } from "./chapters";
import type { LoopView } from "./run-view";

const loop = (agent: string | undefined, text: string, number = 1): LoopView => ({
  number,
  runId: null,
  startedAt: null,
  endedAt: null,
  whole: true,
  items: [{ kind: "text", text }],
  ...(agent && { agent }),
});

it("an answer without agents has no chapters", () => {
  expect(chaptersOf({ loops: [loop(undefined, "Hi")], steps: [] })).toBeUndefined();
});

it("a pipeline is its writer and its rounds, with how they ended", () => {
  const chapters = chaptersOf({
    loops: [
      loop("doc/writer", "v1"),
      loop("doc/refine.1/critic", "more"),
      loop("doc/refine.1/refiner", "v2"),
      loop("doc/refine.2/critic", "No major issues found."),
    ],
    steps: [
      { agent: "doc/refine.1/critic", event: "end" },
      { agent: "doc/refine", event: "escalate", rounds: 2, by: "refiner" },
    ],
  });
  expect(chapters).toMatchObject([
    { kind: "agent", name: "writer", path: "doc/writer" },
    {
      kind: "rounds",
      name: "refine",
      rounds: [
        { number: 1, chapters: [{ name: "critic" }, { name: "refiner" }] },
        { number: 2, chapters: [{ name: "critic" }] },
      ],
      end: { rounds: 2, by: "refiner" },
    },
  ]);
  expect(outputOf(chapters?.[0])).toBe("v1");
});

it("branches that write among each other are a chapter each", () => {
  const chapters = chaptersOf({
    loops: [loop("p/both/left", "a"), loop("p/both/right", "b"), loop("p/both/left", "c")],
    steps: [],
  });
  expect(chapters).toMatchObject([
    { kind: "group", name: "both", chapters: [{ name: "left", loops: [{}, {}] }, { name: "right" }] },
  ]);
});
