import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, test, vi } from "vitest";
import { type OfferedAnswer, questions } from "@/lib/protocol/questions";
import { AnswerButtons, type ChoiceKind, pressedAnswer } from "./answer-buttons";

class Field {}
beforeAll(() => {
  vi.stubGlobal("HTMLInputElement", Field);
  vi.stubGlobal("HTMLTextAreaElement", Field);
});

const kinds = Object.keys(questions).filter((kind) => kind !== "form" && kind !== "url") as ChoiceKind[];

/** The buttons of a card: their labels, and which of them cannot be pressed. */
function buttonsOf<Kind extends ChoiceKind>(kind: Kind, blocked: boolean): string[] {
  const labels = Object.fromEntries(questions[kind].offers.map((name) => [name, name]));
  const html = renderToStaticMarkup(
    <AnswerButtons
      kind={kind}
      labels={labels as Record<OfferedAnswer<Kind>, string>}
      busy={false}
      blocked={blocked}
      onAnswer={async () => {}}
    />,
  );
  return [...html.matchAll(/<button([^>]*)>([a-z_]+)/g)].map(
    ([, attributes = "", label]) => `${label}${/ disabled=""/.test(attributes) ? " (disabled)" : ""}`,
  );
}

test.each(kinds)("%s: there is a button for each answer that is offered, in that order", (kind) => {
  expect(buttonsOf(kind, false)).toEqual([...questions[kind].offers]);
});

test("while arguments cannot be read nothing can be allowed, and everything else can be answered", () => {
  expect(buttonsOf("rule", true)).toEqual([
    "approve (disabled)",
    "approve_run (disabled)",
    "approve_always (disabled)",
    "approve_server (disabled)",
    "approve_reads (disabled)",
    "deny",
  ]);
  expect(buttonsOf("outcome_unknown", true)).toEqual(["retry (disabled)", "done", "skip"]);
});

interface Press {
  key: string;
  ctrlKey?: boolean;
  shiftKey?: boolean;
  target?: unknown;
  isComposing?: boolean;
}
const press = (kind: ChoiceKind, { isComposing = false, ...event }: Press) =>
  pressedAnswer({ nativeEvent: { isComposing }, ...event } as unknown as React.KeyboardEvent, kind);

test("keys give only what the question offers", () => {
  const given = (event: Press) => kinds.map((kind) => press(kind, event) ?? "");
  expect(kinds).toEqual([
    "rule",
    "changed_definition",
    "outcome_unknown",
    "data_flow",
    "sampling",
    "plan",
    "budget",
    "tape",
    "step",
  ]);
  expect(given({ key: "Enter", ctrlKey: true })).toEqual([
    "approve",
    "approve",
    "",
    "approve",
    "approve",
    "approve",
    "more",
    "approve",
    "step",
  ]);
  expect(given({ key: "r" })).toEqual(["approve_run", "", "", "", "", "", "", "", "run_on"]);
  expect(given({ key: "A", shiftKey: true })).toEqual([
    "approve_always",
    "",
    "",
    "approve_always",
    "",
    "",
    "",
    "",
    "",
  ]);
  expect(given({ key: "S", shiftKey: true })).toEqual(["approve_server", "", "", "", "", "", "", "", ""]);
  expect(given({ key: "R", shiftKey: true })).toEqual(["approve_reads", "", "", "", "", "", "", "", ""]);
  expect(given({ key: "d" })).toEqual(["deny", "deny", "", "deny", "deny", "deny", "stop", "deny", ""]);
  expect(given({ key: "Escape" })).toEqual(["", "", "", "", "", "", "", "", "stop"]);
  expect(given({ key: "f" })).toEqual(["", "", "", "", "", "", "finish", "", ""]);
});

test("bare Enter, a letter in a field, with another key or while a word is composed gives nothing", () => {
  expect(press("rule", { key: "Enter" })).toBeUndefined();
  expect(press("rule", { key: "d", target: new Field() })).toBeUndefined();
  expect(press("rule", { key: "Enter", ctrlKey: true, target: new Field() })).toBe("approve");
  expect(press("rule", { key: "d", ctrlKey: true })).toBeUndefined();
  expect(press("rule", { key: "D", shiftKey: true })).toBeUndefined();
  expect(press("rule", { key: "Enter", ctrlKey: true, isComposing: true })).toBeUndefined();
});
