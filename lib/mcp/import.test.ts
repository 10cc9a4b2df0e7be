import { expect, test } from "vitest";
import { importServers } from "./import";

const names = (text: string) => importServers(text).servers.map(({ name }) => name);
const stdio = { command: "npx", args: ["-y", "@acme/mcp-server-weather@1.2.3"] };

test.each([
  ["a mcpServers file", { mcpServers: { a: stdio, b: { url: "https://b.example/mcp" } } }, ["a", "b"]],
  ["VS Code's servers", { servers: { a: { type: "stdio", ...stdio } }, inputs: [] }, ["a"]],
  ["VS Code's settings", { mcp: { servers: { a: stdio } } }, ["a"]],
  ["a bare map", { a: stdio, b: { serverUrl: "https://b.example/mcp" } }, ["a", "b"]],
  ["a single command", stdio, ["mcp-server-weather"]],
  ["a single address", { type: "http", url: "https://api.example.com/mcp" }, ["api-example-com"]],
  ["a single server with its name", { name: "mine", ...stdio }, ["mine"]],
])("%s is read", (_what, value, expected) => {
  expect(names(JSON.stringify(value))).toEqual(expected);
});

test("what cannot be taken over is said", () => {
  const { servers, notes } = importServers(
    JSON.stringify({
      servers: {
        good: { command: "x", env: { KEY: `\${input:key}` }, envFile: ".env" },
        bad: { args: [] },
      },
      inputs: [{ id: "key" }],
    }),
  );
  expect(servers.map(({ name, exists }) => `${name} ${exists}`)).toEqual(["good false"]);
  expect(notes).toEqual([
    "Not taken over: inputs.",
    `good: it asks for inputs, which are not supported. Write the values or \${env:NAME} in their place.`,
    'good: "envFile" is kept but not read. Put the variables into "env".',
    'Left out: bad: it needs a "command" to start or a "url" to connect to.',
  ]);
});

test.each([
  ["{\n  oops\n}", "Line 2: This word is no JSON. Put names and texts into double quotes."],
  ['{"a": {"command": "x"},}', "Line 1: A name in double quotes"],
  ["[]", "Paste a JSON object"],
  ["{}", "There is no server in it."],
  ['{"mcpServers": {"a": 1}}', "Left out: a: a server is a JSON object."],
  ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'The name "__proto__" is not allowed'],
])("%s is refused", (text, reason) => {
  expect(() => importServers(text)).toThrow(reason);
});
