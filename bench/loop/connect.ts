import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { McpAddress } from "./tasks";

/** The bare MCP client; `fetch` instead of the built-in one. */
export async function connect(mcp: McpAddress, fetch?: typeof globalThis.fetch): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const transport =
    "url" in mcp
      ? new StreamableHTTPClientTransport(new URL(mcp.url), fetch ? { fetch } : {})
      : new StdioClientTransport(mcp);
  await client.connect(transport);
  return client;
}

interface Content {
  type: string;
  text?: string;
}

export const textOf = (content: unknown): string =>
  (content as Content[]).map((part) => (part.type === "text" ? part.text : "")).join("");
