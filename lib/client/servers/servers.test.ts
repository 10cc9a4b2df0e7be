import { expect, it } from "vitest";
import type { McpServerItem, McpServerStatus, McpToolItem } from "@/lib/protocol/mcp";
import { countServers, needsMember } from "./servers";

it("counts a server that sleeps, or comes back with its tools, as ready, and each server once", () => {
  const counts = countServers([
    server("ready", 3),
    server("sleeping", 2),
    server("connecting", 1),
    server("connecting", 0),
    server("needs_approval", 0),
    server("needs_login", 4),
    server("failed", 5),
    server("disabled", 0),
  ]);
  expect(counts).toEqual({ ready: 3, connecting: 1, needy: 3, off: 1, tools: 6 });
});

it("leaves out tools that are switched off", () => {
  const [first, ...rest] = server("ready", 3).tools;
  const tools = [{ ...(first as McpToolItem), enabled: false }, ...rest];
  expect(countServers([{ ...server("ready", 0), tools }])).toMatchObject({ ready: 1, tools: 2 });
});

it("asks a member for what is their own alone: a sign-in, or a value that is missing and used", () => {
  const secret = (used: boolean, stored: boolean) => [{ name: "KEY", used, stored }];
  const own = (status: McpServerStatus, secrets = secret(true, true)) =>
    needsMember({ ...server(status, 0), scope: "user", secrets });
  expect(own("needs_login")).toBe(true);
  expect(own("failed", secret(true, false))).toBe(true);
  expect([own("failed"), own("failed", secret(false, false)), own("ready", secret(true, false))]).toEqual(
    Array(3).fill(false),
  );
  expect(needsMember({ ...server("needs_login", 0), scope: "shared" })).toBe(false);
});

/** What the counts read of a server. */
function server(status: McpServerStatus, tools: number): McpServerItem {
  return {
    status,
    tools: Array.from({ length: tools }, () => ({ enabled: true })),
  } as McpServerItem;
}
