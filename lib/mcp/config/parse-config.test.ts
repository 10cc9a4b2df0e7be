import { expect, test } from "vitest";
import type { ConfigFault } from "./config-fault";
import { assertEntry, parseConfig } from "./parse-config";
import { decodeText } from "./strict-json";

const faultOf = (run: () => unknown): string => {
  try {
    run();
  } catch (fault) {
    const { line, message } = fault as ConfigFault;
    return `${line}: ${message}`;
  }
  return "no fault";
};
const parse = (text: string) => faultOf(() => parseConfig(text));

test("every kind of entry is read, with what is unknown in it", () => {
  const { servers, document } = parseConfig(`{
    "$schema": "x",
    "mcpServers": {
      "a": { "command": "node", "args": ["x"], "mine": [1] },
      "b": { "type": "http", "url": "https://example.com/mcp" },
      "c": { "type": "streamable-http", "url": "https://example.com/mcp", "headers": { "A": "b" } },
      "d": { "type": "streamableHttp", "url": "https://example.com/mcp" },
      "e": { "type": "sse", "url": "https://example.com/sse", "disabled": true, "timeout": 5000 },
      "f": { "type": "stdio", "command": "x", "disabledTools": ["t"], "env": { "K": "v" }, "cwd": "." }
    }
  }`);
  expect([...servers.keys()].join("")).toBe("abcdef");
  expect(servers.get("a")).toEqual({ command: "node", args: ["x"], mine: [1] });
  expect(document.$schema).toBe("x");
});

test.each([
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
])("%s is refused with line and reason", (_what, text, fault) => {
  expect(parse(text)).toBe(fault);
});

test("10 MB and bytes that are not UTF-8 are refused", () => {
  const large = Buffer.alloc(10 * 1024 * 1024, 0x20);
  expect(faultOf(() => decodeText(large))).toBe(
    "null: It has 10.0 MB; at most 1 MB is read. Make it smaller.",
  );
  const latin1 = Buffer.concat([Buffer.from('{\n"a": "日本"\n"'), Buffer.from([0xe9, 0x22, 0x7d])]);
  expect(faultOf(() => decodeText(latin1))).toBe("3: It holds bytes that are not UTF-8. Save it as UTF-8.");
});

test.each([
  ["__proto__", { command: "x" }, 'a server cannot be called "__proto__"'],
  ["", { command: "x" }, "a server needs a name"],
  ["a\nb", { command: "x" }, "a server's name has no control characters"],
  ["pay\u202eexe", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["fi\u200bles", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["fi\u3164les", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["a", null, "expected object"],
  ["a", { url: "ftp://example.com" }, "begins with ftp:; only http: and https: are possible"],
  ["a", { url: "nonsense" }, "is not a URL"],
  [
    "a",
    { url: "https://a.example", oauth: { grant: "jwt_bearer", clientId: "x" } },
    'jwt_bearer needs a "clientId" and an "assertion"',
  ],
  [
    "a",
    { url: "https://a.example", oauth: { clientMetadataUrl: "http://a.example/client.json" } },
    "a.oauth.clientMetadataUrl: must be a https:// address",
  ],
  [
    "a",
    { url: "https://a.example", oauth: { clientMetadataUrl: "https://a.example" } },
    "must name a document",
  ],
  ["a", { url: "https://u:p@example.com" }, "holds a user name or password"],
  ["a", JSON.parse('{"command": "x", "env": {"__proto__": "y"}}'), 'The name "__proto__" is not allowed'],
])("an entry %j that arrives otherwise is held to the same rules", (name, config, reason) => {
  expect(() => assertEntry(name, config)).toThrow(reason);
});
