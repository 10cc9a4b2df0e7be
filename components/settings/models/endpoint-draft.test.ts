import { expect, test } from "vitest";
import { accessIn, changeIn, draftOf, fieldOf, readHeaders, suggestId } from "./endpoint-draft";

const stored = {
  ...{ id: "acme", name: "Acme", baseURL: "https://llm.acme.dev/v1", api: "chat" as const },
  ...{ source: "settings" as const, keyEnd: "9876", headerNames: ["X-Team"], models: ["a", "b"] },
};

test.each([
  ["Acme Gateway", "acme-gateway"],
  ["  LM Studio (home)", "lm-studio-home"],
  ["7b lab", "b-lab"],
  ["社内ゲートウェイ", "endpoint"],
  ["Café", "cafe"],
  ["x".repeat(60), "x".repeat(28)],
])("the name %j suggests the id %s", (name, id) => {
  expect(suggestId(name, [])).toBe(id);
});

test("an id that is taken gets a number", () => {
  expect(suggestId("OpenAI", ["openai", "openai-2"])).toBe("openai-3");
});

test("headers are a line each, and the line that is none is named", () => {
  expect(readHeaders("X-Team: blue\n\n HTTP-Referer:https://x.example/a:b \n")).toEqual({
    headers: { "X-Team": "blue", "HTTP-Referer": "https://x.example/a:b" },
  });
  expect(readHeaders("X-Team: blue\nnothing")).toEqual({ line: 2 });
});

test("a form that nobody has written in changes nothing", () => {
  const draft = draftOf(stored);
  const access = accessIn(draft);
  if ("line" in access) throw new Error("Its headers can be read.");
  expect(changeIn(draft, access)).toEqual({
    ...{ id: "acme", name: "Acme", baseURL: stored.baseURL, api: "chat", models: ["a", "b"] },
  });
});

test("the API is the application's choice until a person has made one", () => {
  expect(draftOf(undefined).api).toBe("auto");
  expect(changeIn({ ...draftOf(stored), api: "responses" }, {})).toMatchObject({ api: "responses" });
});

test("what is removed is said to the server, and what is entered counts more", () => {
  const draft = { ...draftOf(stored), dropsKey: true, dropsHeaders: true, models: "" };
  expect(accessIn(draft)).toEqual({ baseURL: stored.baseURL, apiKey: null, headers: {} });
  expect(accessIn({ ...draft, apiKey: "sk-2" })).toMatchObject({ apiKey: "sk-2" });
});

test.each([
  [
    "endpoints.3.baseURL: must be a http:// or https:// address",
    "baseURL",
    "must be a http:// or https:// address",
  ],
  ["endpoints.0.headers.x-a: must be one line of ASCII text", "headers", "must be one line of ASCII text"],
  ["apiKey: must be the key alone, without spaces.", "apiKey", "must be the key alone, without spaces"],
])("%j is shown at its field", (message, field, text) => {
  expect(fieldOf(message)).toEqual({ field, text });
});

test("a sentence about no field is shown below all of them", () => {
  expect(fieldOf("Something went wrong on our side.")).toBeUndefined();
});
