import { expect, test } from "vitest";
import { readAnswer } from "./answer";

const call = { name: "a__x", input: { n: 1 } };
const written = JSON.stringify({ tool_call: call });
const read = (text: string) => readAnswer(text, ["a__x", "a__y"]);

test.each([
  ["a call", written, [call], ""],
  ["several calls as a list", JSON.stringify({ tool_call: [call, call] }), [call, call], ""],
  ["a text", '{"response": "Hi"}', [], "Hi"],
  ["an empty text", '{"response": ""}', [], ""],
  ["a text and a call", JSON.stringify({ response: "Hm.", tool_call: call }), [call], "Hm."],
  ["a key that is null", JSON.stringify({ response: null, tool_call: call }), [call], ""],
  ["a response that is no text", '{"response": {"a": 1}}', [], '{"a":1}'],
  ["a call without arguments", '{"tool_call": {"name": "a__x"}}', [{ name: "a__x", input: {} }], ""],
])("%s is read as it stands", (_what, json, calls, text) => {
  expect(read(json)).toEqual({ calls, text, repairs: [] });
});

test.each([
  ["a fence", `\`\`\`json\n${written}\n\`\`\``, "text around its JSON"],
  ["words before it", `I will look. {x} ${written}`, "text around its JSON"],
  ["words after it", `${written}\nI hope this helps`, "text around its JSON"],
  ["thoughts with braces are no repair", `<think>{"tool_call": 1}</think>\n${written}`, ""],
  [
    "results that the model made up",
    `${written}\nResult: 7\n{"response": "It is 7"}`,
    "text around its JSON",
  ],
  ["a comma too many", '{"tool_call": {"name": "a__x", "input": {"n": 1,},},}', "broken JSON"],
  ["single quotes", "{'tool_call': {'name': 'a__x', 'input': {'n': 1}}}", "broken JSON"],
  ["a comment", '{"tool_call": {"name": "a__x", /* here */ "input": {"n": 1}}}', "broken JSON"],
  ["two braces too few", '{"tool_call": {"name": "a__x", "input": {"n": 1}', "broken JSON"],
  ["Llama's own form", '{"name": "a__x", "parameters": {"n": 1}}', "other field names"],
  ["OpenAI's form", '{"tool_calls": [{"name": "a__x", "arguments": {"n": 1}}]}', "other field names"],
])("%s is repaired: %s", (_what, text, repair) => {
  expect(read(text)).toEqual({ calls: [call], text: "", repairs: repair ? [repair] : [] });
});

test("objects one after the other are several calls", () => {
  const two = { name: "a__y", input: {} };
  expect(read(`${written}\n${JSON.stringify({ tool_call: two })}`)).toMatchObject({ calls: [call, two] });
});

test.each([
  ["words", "I will call the tool now.", /no JSON object/],
  ["another object", '{"answer": 1}', /neither/],
  ["a name that is no tool", '{"name": "Ann", "parameters": {}}', /neither/],
  ["a call without a name", '{"tool_call": {"input": {}}}', /needs a "name"/],
  ["a call that is a text", '{"tool_call": "a__x"}', /needs a "name"/],
  ["braces that mean nothing", "{ : } ]", /cannot be read|neither/],
])("%s cannot be read", (_what, text, problem) => {
  expect(read(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test.each([
  '{"tool_call": {"name": "delete", "input": {"path": "/home/an',
  '{"tool_call": {"name": "delete", "input": {"path": "/home"',
  '{"tool_call": {"name": "delete", "input": {"n": 12',
  '{"tool_call": {"name": "delete_all"',
  '{"name": "a__x", "parameters": {"n": 12',
  '{"name": "a__x"',
])("a call that breaks off inside its arguments is never completed by guessing: %s", (text) => {
  expect(read(text)).toEqual({ problem: "Its JSON breaks off within a tool call." });
});

test("many braces cost no more than their number", () => {
  const started = performance.now();
  expect(read("{".repeat(100_000))).toHaveProperty("problem");
  expect(read("{}".repeat(100_000))).toHaveProperty("problem");
  expect(performance.now() - started).toBeLessThan(5_000);
});
