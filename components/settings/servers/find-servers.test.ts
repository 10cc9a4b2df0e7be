import { expect, test } from "vitest";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { findServers } from "./find-servers";

const tool = (name: string, description = "") => ({ name, title: null, description });
const server = (name: string, tools: object[] = [], url?: string) =>
  ({ name, title: null, config: { command: "node", url }, tools }) as unknown as McpServerItem;
const servers = [
  server("files", [tool("read_file", "Reads a file"), tool("write_file", "Writes a file")]),
  server("crm", [tool("find_customer", "Reads one")], "https://crm.example/mcp"),
  server("空", [tool("🦊", "fox")]),
];
const found = (query: string) =>
  findServers(servers, query).map(({ server: { name }, tools }) =>
    [name, ...(tools ?? [{ name: "all" }]).map((one) => one.name)].join(" "),
  );

test.each([
  ["", ["files all", "crm all", "空 all"]],
  ["FILES", ["files all"]],
  ["crm.example", ["crm all"]],
  ["reads", ["files read_file", "crm find_customer"]],
  ["files write", ["files write_file"]],
  ["🦊", ["空 🦊"]],
  ["nothing", []],
])("“%s” finds what has all its words", (query, expected) => {
  expect(found(query)).toEqual(expected);
});
