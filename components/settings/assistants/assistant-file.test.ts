import { expect, test } from "vitest";
import type { Assistant } from "@/lib/protocol/assistants";
import { toDraft, toPatch } from "./assistant-draft";
import { readFile, toFile } from "./assistant-file";

const assistant: Assistant = {
  id: "a1",
  name: "Refund clerk",
  icon: "R",
  description: "Looks up charges",
  instructions: "Ask first.\nThen answer.",
  model: "openai/gpt",
  effort: "low",
  servers: ["pay"],
  deferred: { pay: true },
  agent: "review",
  examples: ["Which ones?"],
};
const file = (content: unknown) =>
  new Blob([typeof content === "string" ? content : JSON.stringify(content)]);
const wrapped = (fields: object) => file({ meguri: "assistant", version: 1, assistant: fields });

test("what is saved as a file fills in the same form, and has no id", async () => {
  const text = toFile(assistant);
  expect(JSON.parse(text)).toEqual({
    meguri: "assistant",
    version: 1,
    assistant: { ...assistant, id: undefined },
  });
  expect(await readFile(file(text))).toEqual(toDraft(assistant));
  const { id: _, ...fields } = assistant;
  expect(toPatch(toDraft(assistant))).toEqual(fields);
});

test("a file that cannot be used is named by its fault", async () => {
  expect(await readFile(file("{"))).toBe("notJson");
  expect(await readFile(file("null"))).toBe("notAssistant");
  expect(await readFile(file({ conversations: [] }))).toBe("notAssistant");
  expect(await readFile(file({ meguri: "assistant", version: 2, assistant: "later" }))).toBe("newer");
  expect(await readFile(file({ meguri: "assistant", assistant }))).toBe("notAssistant");
  expect(await readFile(file("x".repeat(1_000_001)))).toBe("tooLarge");
});

test("fields of another kind, and those that nobody knows, are refused", async () => {
  for (const fields of [
    {},
    { name: 1 },
    { name: "x", instructions: ["a"] },
    { name: "x", effort: "huge" },
    { name: "x", servers: "pay" },
    { name: "x", servers: [{ command: "rm" }] },
    { name: "x", deferred: { pay: "yes" } },
    { name: "x", examples: [1] },
    { name: "x", command: "rm" },
    [],
  ])
    expect(await readFile(wrapped(fields)), JSON.stringify(fields)).toBe("notAssistant");
  expect(await readFile(wrapped({ name: "x" }))).toEqual(toDraft({ name: "x" }));
});
