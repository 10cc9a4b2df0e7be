import { expect, test } from "vitest";
import { readEndpointEnv } from "./endpoint-env";
import { StartError } from "./env";

/** How MEGURI_ENDPOINTS names a variable. */
const from = (name: string) => `\${env:${name}}`;
const acme = { id: "acme", name: "Acme", baseURL: "https://llm.acme.dev/v1" };
const read = (list: unknown, source = {}) => readEndpointEnv(JSON.stringify(list), source);

test("any number of endpoints is read, with keys and headers from variables of their own", () => {
  const { endpoints, variables } = read(
    [
      {
        ...acme,
        apiKey: from("ACME_KEY"),
        headers: { "x-team": `${from("TEAM")}-7` },
        models: ["a", "a", "b"],
      },
      { id: "lab-2", name: "Lab", baseURL: "http://10.0.0.8:8000/v1", api: "chat", models: [] },
    ],
    { ACME_KEY: "sk-acme", TEAM: "blue" },
  );
  expect(endpoints).toEqual([
    {
      ...acme,
      api: "auto",
      apiKey: "sk-acme",
      headers: { "x-team": "blue-7" },
      models: ["a", "b"],
      source: "environment",
    },
    { id: "lab-2", name: "Lab", baseURL: "http://10.0.0.8:8000/v1", api: "chat", source: "environment" },
  ]);
  expect(variables).toEqual(["ACME_KEY", "TEAM"]);
});

test("nothing set names none", () => {
  expect(readEndpointEnv(undefined, {})).toEqual({ endpoints: [], variables: [] });
});

test("what a variable holds is not expanded again, and an address is none of it", () => {
  const [endpoint] = read([{ ...acme, apiKey: from("A") }], { A: from("B"), B: "secret" }).endpoints;
  expect(endpoint?.apiKey).toBe(from("B"));
  expect(() => read([{ ...acme, baseURL: `https://${from("B")}/v1` }], { B: "x" })).toThrow(
    "MEGURI_ENDPOINTS.0.baseURL",
  );
});

test.each([
  [
    [acme, { ...acme, name: "Again" }],
    'MEGURI_ENDPOINTS has the id "acme" twice; give each endpoint its own.',
  ],
  [[{ ...acme, id: "openai" }], "MEGURI_ENDPOINTS.0.id is the id of a built-in provider; pick another one."],
  [[{ ...acme, id: "demo" }], "MEGURI_ENDPOINTS.0.id is the id of a built-in provider; pick another one."],
  [
    [{ ...acme, id: "Acme" }],
    "MEGURI_ENDPOINTS.0.id must have 1 to 32 lowercase letters, digits and hyphens, and begin with a letter.",
  ],
  [[{ ...acme, baseURL: "ftp://x" }], "MEGURI_ENDPOINTS.0.baseURL must be a http:// or https:// address."],
  [[{ ...acme, headers: { Host: "x" } }], /^MEGURI_ENDPOINTS\.0\.headers/],
  [
    [{ ...acme, apiKey: from("NOT_THERE") }],
    "MEGURI_ENDPOINTS takes a key from NOT_THERE, which is not set.",
  ],
  [{ acme }, /^MEGURI_ENDPOINTS Invalid input: expected array/],
])("%j is a start error that names the place", (list, message) => {
  expect(() => read(list)).toThrow(StartError);
  expect(() => read(list)).toThrow(message);
});

test("what is no JSON is a start error with an example", () => {
  expect(() => readEndpointEnv("acme=https://x", {})).toThrow(/must be a JSON list, for example \[\{/);
});
