import { expect, test } from "vitest";
import { brokenBytes, brokenFiles } from "@/docs/corpus/config";
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

test.each(brokenFiles)("%s is refused with line and reason", (_what, text, fault) => {
  expect(parse(text)).toBe(fault);
});

test("10 MB and bytes that are not UTF-8 are refused", () => {
  for (const { bytes, fault } of brokenBytes) expect(faultOf(() => decodeText(bytes))).toBe(fault);
});

test.each([
  ["__proto__", { command: "x" }, 'a server cannot be called "__proto__"'],
  ["", { command: "x" }, "a server needs a name"],
  ["a\nb", { command: "x" }, "a server's name has no control characters"],
  ["pay\u202eexe", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["fi\u200bles", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["fi\u3164les", { command: "x" }, "a server's name has no characters that cannot be seen"],
  ["a", null, "expected object"],
  ["a", { command: "x", perInstance: "yes" }, "a.perInstance: Invalid input: expected boolean"],
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
