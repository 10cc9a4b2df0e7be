import { expect, test } from "vitest";
import { completeAgent } from "./complete-agent";

const names = { models: ["demo/demo", "openai/gpt"], agents: ["haiku"] };

/** What is suggested at the `^` of a text. */
function at(text: string): string[] | undefined {
  const place = text.indexOf("^");
  return completeAgent(text.replace("^", ""), place, names)?.options.map(({ label }) => label);
}

test("keys of the file at its edge, without those that are there", () => {
  expect(at("^")).toEqual(["name", "title", "description", "state", "result", "agent"]);
  expect(at("name: a\n^\nagent:\n  type: llm")).toEqual(["title", "description", "state", "result"]);
});

test("keys of a part by its type, wherever that stands", () => {
  expect(at("agent:\n  ^")).toEqual(["type"]);
  expect(at("agent:\n  type: loop\n  name: a\n  ^")).toEqual(["description", "maxIterations", "agents"]);
  const list =
    "agent:\n  type: sequential\n  agents:\n    - type: use\n      ^\n    - type: llm\n      name: b\n";
  expect(at(list)).toEqual(["agent", "description"]);
  expect(at(list.replace("^", "").concat("      ^"))).toContain("instruction");
  expect(at("agent:\n  type: loop\n  agents:\n    - ^")).toEqual(["type"]);
});

test("values: types, models, efforts, agents", () => {
  expect(at("agent:\n  type: ^")).toContain("parallel");
  expect(at("agent:\n  model: op^")).toEqual(names.models);
  expect(at("agent:\n  effort: ^")).toContain("xhigh");
  expect(at("agent:\n  type: use\n  agent: ^")).toEqual(["haiku"]);
  expect(at("agent: ^")).toBeUndefined();
  expect(at("agent:\n  name: ^")).toBeUndefined();
});

test("nothing within an instruction", () => {
  expect(at("agent:\n  type: llm\n  instruction: |\n    Write a\n    ^\n")).toBeUndefined();
  expect(at("agent:\n  type: llm\n  instruction: |\n    Write a poem.\n  ^\n")).toContain("model");
});
