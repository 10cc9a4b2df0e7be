import { expect, test } from "vitest";
import type { McpImport } from "@/lib/protocol/mcp-file";
import { secretsToSend, wantedSecrets } from "./paste-secrets";

const secret = (name: string, found = false) => ({ name, field: `env.${name}`, label: null, found });
const pasted = (form: McpImport["form"]): McpImport => ({
  form,
  servers: [
    { name: "a", config: {}, exists: false, secrets: [secret("KEY"), secret("KNOWN", true)] },
    { name: "b", config: {}, exists: false, secrets: [secret("KEY")] },
    { name: "old", config: {}, exists: true, secrets: [secret("OTHER")] },
  ],
  notes: [],
});

test("an input of VS Code is asked for once and goes to each server that uses it", () => {
  expect(wantedSecrets(pasted("vscode")).map(({ key, servers }) => [key, servers])).toEqual([
    ["KEY", ["a", "b"]],
  ]);
  expect(secretsToSend(pasted("vscode"), { KEY: "x" })).toEqual({ a: { KEY: "x" }, b: { KEY: "x" } });
});

test("elsewhere each server has its own, and what is empty is not sent", () => {
  expect(wantedSecrets(pasted("mcpServers")).map(({ key }) => key)).toEqual(["a/KEY", "b/KEY"]);
  expect(secretsToSend(pasted("mcpServers"), { "a/KEY": "x", "b/KEY": "" })).toEqual({ a: { KEY: "x" } });
});
