import { expect, test } from "vitest";
import { type AnswerMeaning, type AnswerName, answers, type QuestionKind, questions } from "./questions";

const kinds = Object.entries(questions) as [
  QuestionKind,
  { takes: readonly AnswerName[]; offers: readonly AnswerName[] },
][];

test.each(kinds)("%s: the page offers nothing that the API refuses", (_kind, { takes, offers }) => {
  expect(takes).toEqual(expect.arrayContaining([...offers]));
});

const aboutCalls = ["run", "result", "refuse"] as const;
const effects: Record<QuestionKind, readonly AnswerMeaning["effect"][]> = {
  rule: aboutCalls,
  changed_definition: aboutCalls,
  outcome_unknown: aboutCalls,
  data_flow: aboutCalls,
  sampling: aboutCalls,
  plan: ["run", "refuse"],
  tape: aboutCalls,
  form: ["reply", "withhold"],
  url: ["reply", "withhold"],
  budget: ["raise", "finish", "stop"],
  step: ["step", "stop"],
};

test.each(kinds)("%s: each answer does something to what was asked about", (kind, { takes }) => {
  for (const name of takes) expect(effects[kind], name).toContain(answers[name].effect);
});

test("only a question whether a call may run takes answers that cover later calls", () => {
  const covering = (names: readonly AnswerName[]) => names.some((name) => "covers" in answers[name]);
  expect(kinds.flatMap(([kind, { takes }]) => (covering(takes) ? kind : []))).toEqual([
    ...["rule", "changed_definition", "data_flow"],
  ]);
});

test("only a changed definition is accepted by an answer", () => {
  expect(kinds.flatMap(([kind, rule]) => ("acceptsDefinition" in rule ? kind : []))).toEqual([
    "changed_definition",
  ]);
});
