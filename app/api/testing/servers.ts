import { expect, vi } from "vitest";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { TestPerson } from "./people";

/** An MCP server as this person has it. */
export const serverOf = async (person: TestPerson, name: string): Promise<McpServerItem> =>
  (await person.call("GET", `/api/mcp/servers/${name}`)).json();

export const serverNamesOf = async (person: TestPerson): Promise<string[]> =>
  ((await (await person.call("GET", "/api/mcp/servers")).json()) as McpServerList).items.map(
    ({ name }) => name,
  );

/** Resolves when the server has this status for this person; undefined: when they do not have it. */
export const becomes = (person: TestPerson, name: string, status: McpServerItem["status"] | undefined) =>
  vi.waitFor(async () => expect((await serverOf(person, name)).status).toBe(status), {
    timeout: 20_000,
    interval: 50,
  });
