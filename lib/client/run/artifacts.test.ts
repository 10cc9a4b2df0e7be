import { expect, test } from "vitest";
import { ArtifactFold } from "./artifacts";
import type { TurnView } from "./messages-to-turns";
import { emptyRun, type LoopView, type SteeringView } from "./run-view";

const page = (title: string, body: string) => `\`\`\`html title="${title}"\n${body}\n\`\`\``;

function turn(
  id: string,
  asked: string,
  texts: string[],
  more: { runs?: boolean; said?: SteeringView } = {},
): TurnView {
  const loops = texts.map(
    (text, at): LoopView => ({
      number: at + 1,
      runId: null,
      startedAt: 1_000 * (at + 1),
      endedAt: null,
      whole: true,
      items: [{ kind: "text", text }],
    }),
  );
  const status = more.runs ? "running" : "completed";
  return {
    key: `key-${id}`,
    question: { id, parentId: null, text: asked, files: [], siblings: [id] },
    answer: {
      view: { ...emptyRun, status, loops, steering: more.said ? [more.said] : [] },
      model: null,
      messageId: null,
      siblings: [],
    },
  };
}

test("the same name later is the next version, and says when and after which words", () => {
  const fold = new ArtifactFold();
  const said = { id: null, after: 1, text: "darker", files: [] };
  const all = fold.fold([
    turn("q1", "draw it", [page("Chart", "<p>1")]),
    turn("q2", "leave out 4.17", [page("Chart", "<p>2"), page("Chart", "<p>3")], { said }),
  ]);
  const chart = all.byId("html:Chart");
  expect(chart?.versions.map(({ code, at, after }) => [code, at, after])).toEqual([
    ["<p>1", 1_000, "draw it"],
    ["<p>2", 1_000, "leave out 4.17"],
    ["<p>3", 2_000, "darker"],
  ]);
  expect(all.find("<p>2")).toEqual({ artifact: chart, number: 1 });
});

test("the same text again is no version, and another kind of the same name is another artifact", () => {
  const all = new ArtifactFold().fold([
    turn("q1", "a", [`${page("A", "<p>")}\n${page("A", "<p>")}\n\`\`\`md title="A"\nhi\n\`\`\``]),
  ]);
  expect(all.byId("html:A")?.versions).toHaveLength(1);
  expect(all.byId("markdown:A")?.versions).toHaveLength(1);
});

test("one without a name is known by its place, the same after a reload", () => {
  const texts = ["```html\n<p>1\n```\n\n```svg\n<svg/>\n```"];
  const all = new ArtifactFold().fold([turn("q1", "a", texts), turn("q2", "b", texts)]);
  expect(all.byId("q1.1")?.kind).toBe("html");
  expect(all.byId("q1.2")?.kind).toBe("svg");
  expect(all.byId("q2.1")?.versions).toHaveLength(1);
  // As it was called before the question had an id.
  expect(all.byId("key-q2.1")?.id).toBe("q2.1");
});

test("what is being written is the newest version until it ends", () => {
  const fold = new ArtifactFold();
  const first = turn("q1", "a", [page("A", "<p>1")]);
  const growing = fold.fold([first, turn("q2", "b", ['```html title="A"\n<p>2'], { runs: true })]);
  expect(growing.growing?.number).toBe(1);
  expect(growing.byId("html:A")?.versions[1]).toMatchObject({ code: "<p>2", isGrowing: true });
  const ended = fold.fold([first, turn("q2", "b", [page("A", "<p>2")])]);
  expect(ended.growing).toBeUndefined();
  expect(ended.byId("html:A")?.versions[1]?.isGrowing).toBe(false);
});
