import { expect, test } from "vitest";
import { growth } from "@/lib/protocol/testing/growth";
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
      "Not imported: version.",
      "everything: not imported: chatMenu.",
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
    "Not imported: sandbox.",
    'good: "envFile" is kept but not read. Put the variables into "env".',
    'Left out: bad: it needs a "command" to start or a "url" to connect to.',
  ]);
});

test("a name that appears twice in an array is left out the second time", () => {
  const { servers, notes } = importServers(
    JSON.stringify([{ name: "a", ...remote }, { name: "a", ...stdio }, 1]),
  );
  expect(servers.map(({ config }) => config)).toEqual([remote]);
  expect(notes).toEqual([
    'Left out: the name "a" appears twice; the first one is used.',
    "Left out: number 3 is no JSON object.",
  ]);
});

test.each([
  ["{\n  oops\n}", "Line 2: This is not valid JSON. Put names and texts in double quotes."],
  ['{"a": {"command": "x"},,}', "Line 1: A name in double quotes"],
  ["[mcp_servers.a]\ncommand = x", "Line 2: This line is not valid TOML."],
  ["[mcp_servers.__proto__]\ncommand = 'x'", 'The name "__proto__" is not allowed'],
  [
    '{"editor.fontSize": 12, "tools": {"web": {"command": "x"}}}',
    "its top level has editor.fontSize, tools.",
  ],
  ["theme: dark\nmodel: gpt", "its top level has theme, model."],
  ["[]", "There is no server in it."],
  ["{}", "There is no server in it."],
  ["hello", "This is not a configuration. Paste JSON or YAML with the servers in it."],
  ['{"mcpServers": {"a": 1}}', "Left out: a: a server is a JSON object."],
  ['{"mcpServers": {"__proto__": {"command": "x"}}}', 'The name "__proto__" is not allowed'],
  ["mcpServers:\n  __proto__:\n    command: x", 'The name "__proto__" is not allowed'],
  ['{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'The name "a" appears twice.'],
  ["mcpServers:\n  a: {command: x}\n  a: {command: y}", "Line 3: A name appears twice."],
  ["mcpServers:\n\ta:\n", "Line 2: YAML is indented with spaces"],
  ['mcpServers:\n  a: "x\n', "A bracket or a quotation mark is not closed."],
  [`a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c]`, "too often"],
])("%s is refused in words", (text, reason) => {
  expect(() => importServers(text)).toThrow(reason);
});

const deep = "[".repeat(200_000);
test.each([
  ["JSON of great depth", deep, "It is nested too deeply"],
  ["YAML of great depth", `a: ${deep}`.slice(0, 49_000), "This is neither JSON nor YAML."],
  ["a variable of 900 KB of space", `MCP_SERVERS='${" ".repeat(900_000)}x`, "too long for YAML"],
  ["long YAML", `a: ${"x".repeat(300_000)}`, "It is too long for YAML; at most 50 KB are read."],
  ["long TOML", `[mcp_servers.a]\nx = "${"x".repeat(300_000)}"`, "It is too long for TOML; at most 200 KB"],
  ["10 MB", `{"a": "${"x".repeat(10 * 1024 * 1024)}"}`, "It has 10.0 MB; at most 1 MB is read."],
])("%s is refused in words", (_what, text, reason) => {
  expect(() => importServers(text)).toThrow(reason);
});

test.each([
  ["escapes that are none", (size: number) => `a: "${"\\x".repeat(size / 2)}`],
  ["many names", (size: number) => Array.from({ length: size / 10 }, (_, at) => `n${at}: 1\n`).join("")],
])("YAML with %s takes time in proportion to its length", (_what, make) => {
  const read = (size: number) => {
    const text = make(size);
    expect(() => importServers(text)).toThrow();
  };
  expect(growth(12_000, read)).toBeLessThan(8);
});

const npx = { command: "npx", args: ["-y", "pkg"] };
const asked = (name: string, field: string) => ({ name, field, label: null });

/** As in the instructions of common servers. */
test.each<[what: string, text: string, form: string, servers: unknown[]]>([
  [
    "comments and commas before closing brackets",
    `// Add this to your settings
/* of the editor */
{
  "mcpServers": {
    "a": { // the server
      "command": "npx",
      "args": ["-y", "pkg",], /* "not": "this" */
      "env": { "URL": "https://x.example/a//b", },
    },
  },
}`,
    "mcpServers",
    [{ name: "a", config: { ...npx, env: { URL: "https://x.example/a//b" } }, secrets: [] }],
  ],
  [
    "a part without its braces and with comments",
    `"a": { "command": "npx", "args": ["-y", "pkg"] }, // and so on`,
    "map",
    [{ name: "a", config: npx, secrets: [] }],
  ],
  [
    "OpenCode",
    `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "a": { "type": "local", "command": ["npx", "-y", "pkg"], "environment": { "KEY": "{env:MY_KEY}" }, "enabled": false, "timeout": 9000 },
    "b": { "type": "remote", "url": "https://b.example/mcp", "headers": { "Authorization": "Bearer {env:B}" }, "enabled": true },
  }
}`,
    "opencode",
    [
      {
        name: "a",
        config: { ...npx, env: { KEY: `\${MY_KEY}` }, disabled: true, initTimeout: 9000 },
        secrets: [],
      },
      {
        name: "b",
        config: { ...remote, headers: { Authorization: `Bearer \${B}` } },
        secrets: [],
      },
    ],
  ],
  [
    "Crush",
    `{"mcp": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "pkg"], "env": {"K": "$MY_KEY"}, "timeout": 120}}}`,
    "crush",
    [
      {
        name: "a",
        config: { type: "stdio", ...npx, env: { K: `\${MY_KEY}` }, initTimeout: 120_000 },
        secrets: [],
      },
    ],
  ],
  [
    "Zed, as it is and as it was",
    `{"context_servers": {
      "a": {"source": "custom", "command": "npx", "args": ["-y", "pkg"], "env": {}},
      "b": {"command": {"path": "npx", "args": ["-y", "pkg"], "env": {"K": "1"}}, "settings": {}},
    }}`,
    "zed",
    [
      { name: "a", config: { ...npx, env: {} }, secrets: [] },
      { name: "b", config: { ...npx, env: { K: "1" }, settings: {} }, secrets: [] },
    ],
  ],
  [
    "Amp",
    `{"amp.mcpServers": {"a": {"command": "npx", "args": ["-y", "pkg"]}}}`,
    "amp",
    [{ name: "a", config: npx, secrets: [] }],
  ],
  [
    "Augment",
    `"augment.advanced": {"mcpServers": [{"name": "a", "command": "npx", "args": ["-y", "pkg"]}]}`,
    "augment",
    [{ name: "a", config: npx, secrets: [] }],
  ],
  [
    "the type local",
    `{"mcpServers": {"a": {"type": "local", "command": "npx", "args": ["-y", "pkg"], "tools": ["*"]}}}`,
    "mcpServers",
    [{ name: "a", config: { ...npx, tools: ["*"] }, secrets: [] }],
  ],
  [
    "a single server whose command is a list",
    `{"type": "local", "command": ["npx", "-y", "mcp-pkg"]}`,
    "single",
    [{ name: "mcp-pkg", config: { command: "npx", args: ["-y", "mcp-pkg"] }, secrets: [] }],
  ],
  [
    "a server that is called mcp",
    `{"mcp": {"command": "npx", "args": ["-y", "pkg"]}}`,
    "map",
    [{ name: "mcp", config: npx, secrets: [] }],
  ],
  [
    "Codex's TOML",
    `model = "gpt"  # not ours

[mcp_servers.a]
command = "npx"
args = ["-y", "pkg"]
env_vars = ["HANDED"]
startup_timeout_sec = 20.5
tool_timeout_sec = 90
disabled_tools = ["rm"]
enabled = false
[mcp_servers.a.env]
KEY = "k"

[mcp_servers."b c"]
url = "https://b.example/mcp"
bearer_token_env_var = "TOKEN_OF_B"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-User" = "B_USER" }
`,
    "codex",
    [
      {
        name: "a",
        config: {
          ...npx,
          env: { HANDED: `\${HANDED}`, KEY: "k" },
          initTimeout: 20_500,
          timeout: 90_000,
          disabledTools: ["rm"],
          disabled: true,
        },
        secrets: [],
      },
      {
        name: "b c",
        config: {
          ...remote,
          headers: { "X-Region": "eu", "X-User": `\${B_USER}`, Authorization: `Bearer \${TOKEN_OF_B}` },
        },
        secrets: [],
      },
    ],
  ],
  [
    "one line of Codex's TOML",
    `mcp_servers.a = { command = "npx", args = ["-y", "pkg"] }`,
    "codex",
    [{ name: "a", config: npx, secrets: [] }],
  ],
  [
    "Goose's YAML",
    `GOOSE_MODEL: gpt
extensions:
  developer: { type: builtin, enabled: true, name: developer }
  a:
    name: A
    description: The server
    type: stdio
    cmd: npx
    args: [-y, pkg]
    envs: { REGION: eu }
    env_keys: [A_KEY]
    timeout: 300
    enabled: true
  b: { type: streamable_http, uri: "https://b.example/mcp", headers: { X: "1" } }
`,
    "goose",
    [
      {
        name: "a",
        config: { type: "stdio", ...npx, env: { A_KEY: `\${secret:A_KEY}`, REGION: "eu" }, timeout: 300_000 },
        secrets: [asked("A_KEY", "env.A_KEY")],
      },
      { name: "b", config: { type: "streamable-http", ...remote, headers: { X: "1" } }, secrets: [] },
    ],
  ],
])("%s is read as it is meant", (_what, text, form, servers) => {
  const understood = importServers(text);
  expect({ form: understood.form, servers: understood.servers }).toEqual({ form, servers });
});

test("what is left out of a foreign form is said", () => {
  const { notes } = importServers(
    "model = 'x'\n[mcp_servers.a]\ncommand = 'x'\nenabled_tools = ['y']\n[mcp_servers.b]\nargs = []",
  );
  expect(notes).toEqual([
    "Not imported: model.",
    "a: not imported: enabled_tools.",
    'Left out: b: it needs a "command" to start or a "url" to connect to.',
  ]);
});

/** A refusal must be as fast. */
function read(text: string): void {
  try {
    importServers(text);
  } catch (cause) {
    expect(cause).toBeInstanceOf(Error);
  }
}

test.each<[what: string, make: (length: number) => string]>([
  ["comments", (n) => "// a comment\n".repeat(n / 13)],
  ["a comment without an end", (n) => `/*${"/*".repeat(n / 2)}`],
  ["space", (n) => " ".repeat(n)],
  ["lines of space", (n) => " \n".repeat(n / 2)],
  ["JSON with comments and commas", (n) => `{"a": {"command": "x"}, ${"/* x */".repeat(n / 7)}}`],
  ["TOML tables", (n) => "[mcp_servers.a]\n".repeat(n / 16)],
  [
    "TOML of many tables",
    (n) => Array.from({ length: n / 40 }, (_, at) => `[mcp_servers.s${at}]\ncommand="x"\n`).join(""),
  ],
  ["TOML of deep names", (n) => `mcp_servers.a${".b".repeat(n / 2)} = 1`],
  [
    "TOML of many keys",
    (n) => `[mcp_servers.a]\n${Array.from({ length: n / 12 }, (_, at) => `k${at} = 1\n`).join("")}`,
  ],
  ["a TOML text without an end", (n) => `[mcp_servers.a]\nx = """${"\\n ".repeat(n / 3)}`],
  ["dollars in a Crush entry", (n) => `{"mcp": {"a": {"command": "${"$A".repeat(n / 2)}"}}}`],
  [
    "braces in an OpenCode entry",
    (n) => `{"mcp": {"a": {"type": "local", "command": ["${"{env:".repeat(n / 5)}"]}}}`,
  ],
])("%s cost no more than in proportion to their length", (_what, make) => {
  expect(growth(45_000, (size) => read(make(size)))).toBeLessThan(8);
});
