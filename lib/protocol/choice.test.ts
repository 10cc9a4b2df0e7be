import { expect, test } from "vitest";
import type { ChoicePatch, ConversationChoice } from "./choice";
import { firstNamed, mergeChoice } from "./choice";

const a = { model: "a/a" };
const b = { model: "b/b" };

test.for<[string, (ConversationChoice | null | undefined)[], ConversationChoice]>([
  ["nothing is named", [{}, null, undefined], {}],
  ["the request comes before the conversation", [a, b], a],
  ["the conversation comes before its assistant", [{}, a, b], a],
  ["the assistant comes before the project", [{}, null, a, b], a],
  ["the project is asked last", [{}, {}, undefined, b], b],
  ["each field is found by itself", [a, { servers: ["x"], model: "b/b" }], { ...a, servers: ["x"] }],
  ["all servers are a value", [{ servers: null }, { servers: ["x"] }], { servers: null }],
  [
    "no instructions are a value",
    [{ instructions: "" }, { instructions: "Be brief." }],
    { instructions: "" },
  ],
  ["what is undefined is not named", [{ model: undefined } as never, a], a],
])("%s", ([, sources, found]) => {
  expect(firstNamed(...sources)).toEqual(found);
});

test.for<[string, ConversationChoice | null, ChoicePatch, ConversationChoice]>([
  ["what is not named stays", { ...a, servers: ["x"] }, { model: "b/b" }, { ...b, servers: ["x"] }],
  ["null takes back", { ...a, instructions: "Be brief." }, { instructions: null }, a],
  ["null servers are all that are ready", { servers: ["x"] }, { servers: null }, { servers: null }],
  ["no assistant is one that was chosen", { assistant: "x" }, { assistant: null }, { assistant: null }],
  [
    "deferred servers are replaced whole",
    { deferred: { x: true } },
    { deferred: { y: true } },
    { deferred: { y: true } },
  ],
  ["the first choice", null, { model: "a/a", instructions: null }, a],
])("%s", ([, before, patch, after]) => {
  expect(mergeChoice(before, patch)).toEqual(after);
});
