import type { ToolCall } from "@/lib/protocol/message";

/** Server and tool of a call; the qualified name is taken apart where the tool box did not know it. */
export function toolName({ name, server, tool }: Pick<ToolCall, "name" | "server" | "tool">): {
  server: string;
  tool: string;
} {
  const at = name.indexOf("__");
  if (server !== undefined || at < 0) return { server: server ?? "", tool: tool ?? name };
  return { server: name.slice(0, at), tool: tool ?? name.slice(at + 2) };
}
