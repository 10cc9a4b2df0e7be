// The corpus of "stdio and config": files that are no configuration, and commands that hide what they do. Driven by
// lib/mcp/config/parse-config.test.ts and config.test.ts; what a change of an entry does is in lib/mcp/approval.test.ts and
// e2e/server/config.spec.ts, what a child's environment holds in lib/mcp/connection/connections.test.ts.

/** What it is, the text of the file, and what a person is told: the line (null for the whole) and the reason. */
export const brokenFiles: [what: string, text: string, fault: string][] = [
  [
    "a trailing comma",
    '{\n"mcpServers": {\n"a": {"command": "x"},\n}}',
    '4: A name in double quotes is expected; is there a comma too many before "}"?',
  ],
  [
    "a trailing comma in a list",
    '{"mcpServers": {"a": {"command": "x", "args": ["y",\n]}}}',
    "2: A value is expected; is there a comma too many before it?",
  ],
  ["a comment", '{\n// mine\n"mcpServers": {}}', "2: Comments are not allowed in this file. Remove it."],
  ["an open text", '{"mcpServers": {"a\n', "1: A text is not closed with a double quote."],
  ["an end too early", '{"mcpServers": {}', '1: A "}" is missing.'],
  ["nothing", "", "1: A value is expected; is there a comma too many before it?"],
  [
    "a name that appears twice",
    '{"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y"}}}',
    '3: The name "a" appears twice. Remove one of the two.',
  ],
  [
    "__proto__ as a server",
    '{"mcpServers": {\n"__proto__": {"command": "x"}}}',
    '2: The name "__proto__" is not allowed. Choose another one.',
  ],
  [
    "__proto__ deep inside",
    '{"mcpServers": {"a": {"command": "x",\n"env": {"__proto__": "y"}}}}',
    '2: The name "__proto__" is not allowed. Choose another one.',
  ],
  [
    "no mcpServers",
    '{\n"servers": {}}',
    '1: mcpServers: the file needs an object "mcpServers" with the servers in it.',
  ],
  [
    "a wrong type",
    '{"mcpServers": {\n"a": {\n"command": "x",\n"args": ["y", 1]}}}',
    "4: mcpServers.a.args.1: Invalid input: expected string, received number.",
  ],
  [
    "neither command nor url",
    '{"mcpServers": {\n"a": {}}}',
    '2: mcpServers.a: it needs a "command" to start or a "url" to connect to.',
  ],
  [
    "both command and url",
    '{"mcpServers": {"a": {"command": "x", "url": "http://a.b"}}}',
    '1: mcpServers.a: it has both "command" and "url"; remove one.',
  ],
  [
    "a type without its url",
    '{"mcpServers": {"a": {"type": "sse", "command": "x"}}}',
    '1: mcpServers.a.type: "sse" needs a "url".',
  ],
  [
    "a timeout of an hour",
    '{"mcpServers": {"a": {"command": "x",\n"timeout": 3600000}}}',
    "2: mcpServers.a.timeout: at most 600000 (10 minutes).",
  ],
  [
    "a name with a character that turns it round",
    '{"mcpServers": {\n"pay\\u202eexe": {"command": "x"}}}',
    "2: mcpServers.pay\\u202eexe: a server's name has no characters that cannot be seen.",
  ],
  ["an endless nesting", "[".repeat(500_000), "null: It is nested too deeply to be a configuration."],
];

const latin1 = Buffer.concat([Buffer.from('{\n"a": "日本"\n"'), Buffer.from([0xe9, 0x22, 0x7d])]);

/** Files that are not even text. */
export const brokenBytes: { bytes: Buffer; fault: string }[] = [
  {
    bytes: Buffer.alloc(10 * 1024 * 1024, 0x20),
    fault: "null: It has 10.0 MB; at most 1 MB is read. Make it smaller.",
  },
  { bytes: latin1, fault: "3: It holds bytes that are not UTF-8. Save it as UTF-8." },
];

/** Commands that look like one thing and run another; each would make the file `marker`. With what an approval shows of them. */
export const hidingCommands = (marker: string): { argv: string[]; shown?: string[] }[] => [
  { argv: ["npx", "-c", `touch ${marker}`] },
  { argv: ["npx", "-y", "-c", `touch ${marker}`, "@modelcontextprotocol/server-memory"] },
  { argv: ["node", "-e", `require("fs").writeFileSync(${JSON.stringify(marker)}, "")`] },
  { argv: ["node", "--import", `data:text/javascript,process.exit()`, marker] },
  { argv: ["python3", "-c", `open(${JSON.stringify(marker)}, "w")`] },
  { argv: ["docker", "run", "-v", "/:/h", "alpine", "touch", `/h${marker}`] },
  { argv: ["env", "X=1", "sh", "-c", `touch ${marker}`] },
  { argv: ["sh", "-c", `true; touch ${marker}`] },
  { argv: ["./run", marker] },
  { argv: ["../../bin/sh", "-c", `touch ${marker}`] },
  { argv: ["touch", `--\n${marker}`], shown: ["touch", `--\\u000a${marker}`] },
  { argv: ["touch", `${marker}\u0000.md`], shown: ["touch", `${marker}\\u0000.md`] },
  { argv: ["touch", `${marker}\u202egnp.exe`], shown: ["touch", `${marker}\\u202egnp.exe`] },
  { argv: ["to\u200buch", marker], shown: ["to\\u200buch", marker] },
  { argv: ["touch", `${" ".repeat(5_000)}`, marker] },
  { argv: ["touch", "$(touch x)", "`touch x`", marker] },
];
