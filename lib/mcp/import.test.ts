import { expect, test } from "vitest";
import { importServers } from "./import";

const names = (text: string) => importServers(text).servers.map(({ name }) => name);
const stdio = { command: "npx", args: ["-y", "@acme/mcp-server-weather@1.2.3"] };
const remote = { url: "https://b.example/mcp" };

test.each([
  ["a mcpServers file", { mcpServers: { a: stdio, b: remote } }, "mcpServers: a b"],
  ["VS Code's servers", { servers: { a: { type: "stdio", ...stdio } }, inputs: [] }, "vscode: a"],
  ["VS Code's settings", { mcp: { servers: { a: stdio } } }, "vscode: a"],
  ["a bare map", { a: stdio, b: { serverUrl: "https://b.example/mcp" } }, "map: a b"],
  ["a single command", stdio, "single: mcp-server-weather"],
  ["a single address", { type: "http", url: "https://api.example.com/mcp" }, "single: api-example-com"],
  ["a single server with its name", { name: "mine", ...stdio }, "single: mine"],
  [
    "chat-ui's array",
    [{ name: "Web Search (Exa)", ...remote }, remote],
    "chat-ui: Web Search (Exa) b-example",
  ],
])("%s is read", (_what, value, expected) => {
  const { form, servers } = importServers(JSON.stringify(value));
  expect(`${form}: ${servers.map(({ name }) => name).join(" ")}`).toBe(expected);
});

test.each([
  ["a line of chat-ui's .env", `MCP_SERVERS=\`[{"name": "a", "url": "https://a.example/mcp"}]\``, ["a"]],
  ["the same with single quotes and export", `\n export  MCP_SERVERS = '{"a": {"command": "x"}}' \n`, ["a"]],
  ["the same without quotes", `MCP_SERVERS={"a": {"command": "it's"}}`, ["a"]],
  ["a part of a file without its braces", '"a": { "command": "x" },\n"b": { "command": "y" },', ["a", "b"]],
  ["a file with a byte order mark", '\uFEFF{"a": {"command": "x"}}', ["a"]],
])("%s is read", (_what, text, expected) => {
  expect(names(text)).toEqual(expected);
});

test("LibreChat's YAML is read, with what a person is asked for", () => {
  const understood = importServers(`version: 1.2.1
mcpServers:
  everything:   # a comment
    command: npx
    args: [-y, "@modelcontextprotocol/server-everything"]
    timeout: 60000
    env: { PORT: 3000, DEBUG: true }
    chatMenu: false
  crm:
    type: streamable-http
    url: https://crm.example/mcp
    headers:
      X-Api-Key: "{{CRM_KEY}}"
      X-User: "{{LIBRECHAT_USER_ID}}"
    customUserVars:
      CRM_KEY:
        title: Key of the CRM
        description: from its settings
    oauth:
      client_id: abc
      token_url: https://crm.example/token
  ws:
    type: websocket
    url: wss://x.example/mcp
`);
  expect(understood).toEqual({
    form: "librechat",
    servers: [
      {
        name: "everything",
        config: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-everything"],
          timeout: 60000,
          env: { PORT: "3000", DEBUG: "true" },
        },
        secrets: [],
      },
      {
        name: "crm",
        config: {
          type: "streamable-http",
          url: "https://crm.example/mcp",
          headers: { "X-Api-Key": `\${secret:CRM_KEY}`, "X-User": "{{LIBRECHAT_USER_ID}}" },
          oauth: { clientId: "abc" },
        },
        secrets: [{ name: "CRM_KEY", field: "headers.X-Api-Key", label: "Key of the CRM" }],
      },
    ],
    notes: [
      "Not taken over: version.",
      "everything: not taken over: chatMenu.",
      "crm: {{LIBRECHAT_USER_ID}} is a variable of another program and stays as it is written.",
      "crm: the addresses of its sign-in are asked of the server, not taken from here.",
      expect.stringMatching(/^Left out: ws\.type: /),
    ],
  });
});

test("VS Code's inputs become secrets to fill in, and what cannot be taken over is said", () => {
  const { servers, notes } = importServers(
    JSON.stringify({
      servers: {
        good: {
          command: "x",
          env: { KEY: `\${input:api key}`, HOME_OF: `\${userHome}/x`, NONE: null },
          args: [`\${input:unknown}`],
          envFile: ".env",
        },
        bad: { args: [] },
      },
      inputs: [{ id: "api key", type: "promptString", description: "Your key", password: true }],
      sandbox: {},
    }),
  );
  expect(servers).toEqual([
    {
      name: "good",
      config: {
        command: "x",
        env: { KEY: `\${secret:api_key}`, HOME_OF: `\${env:HOME}/x` },
        args: [`\${secret:unknown}`],
        envFile: ".env",
      },
      secrets: [
        { name: "api_key", field: "env.KEY", label: "Your key" },
        { name: "unknown", field: "args[0]", label: null },
      ],
    },
  ]);
  expect(notes).toEqual([
    "Not taken over: sandbox.",
    'good: "envFile" is kept but not read. Put the variables into "env".',
    'Left out: bad: it needs a "command" to start or a "url" to connect to.',
  ]);
});

test("a name that stands twice in an array is left out the second time", () => {
  const { servers, notes } = importServers(
    JSON.stringify([{ name: "a", ...remote }, { name: "a", ...stdio }, 1]),
  );
  expect(servers.map(({ config }) => config)).toEqual([remote]);
  expect(notes).toEqual([
    'Left out: the name "a" stands twice; the first one counts.',
    "Left out: number 3 is no JSON object.",
  ]);
});

test.each([
  ["{\n  oops\n}", "Line 2: This word is no JSON. Put names and texts into double quotes."],
  ['{"a": {"command": "x"},}', "Line 1: A name in double quotes"],
  ["[]", "There is no server in it."],
  ["{}", "There is no server in it."],
  ["hello", "This is no configuration. Paste JSON or YAML with the servers in it."],
  ['{"mcpServers": {"a": 1}}', "Left out: a: a server is a JSON object."],
  ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'The name "__proto__" is not allowed'],
  ["mcpServers:\n  __proto__:\n    command: x", 'The name "__proto__" is not allowed'],
  ['{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'The name "a" stands twice.'],
  ["mcpServers:\n  a: {command: x}\n  a: {command: y}", "Line 3: A name stands twice."],
  ["mcpServers:\n\ta:\n", "Line 2: YAML is indented with spaces"],
  ['mcpServers:\n  a: "x\n', "A bracket or a quotation mark is not closed."],
  [`a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c]`, "too often"],
])("%s is refused in words", (text, reason) => {
  expect(() => importServers(text)).toThrow(reason);
});

const deep = "[".repeat(200_000);
test.each([
  ["JSON of great depth", deep, "It is nested too deeply"],
  ["YAML of great depth", `a: ${deep}`.slice(0, 190_000), "This is neither JSON nor YAML."],
  ["a variable of 900 KB of space", `MCP_SERVERS='${" ".repeat(900_000)}x`, "too long for YAML"],
  ["long YAML", `a: ${"x".repeat(300_000)}`, "It is too long for YAML; at most 200 KB are read."],
  ["10 MB", `{"a": "${"x".repeat(10 * 1024 * 1024)}"}`, "It has 10.0 MB; at most 1 MB is read."],
])("%s is refused in words", (_what, text, reason) => {
  expect(() => importServers(text)).toThrow(reason);
});
