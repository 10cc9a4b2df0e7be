import { fileURLToPath } from "node:url";
import { type App, startApp } from "@/e2e/support/app";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { ensureBuilt } from "@/scripts/build.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const distDir = ".next-bench";

/** Builds the application into a folder of its own, when its sources have changed. */
export const buildApp = (): Promise<void> => ensureBuilt(root, process.execPath, distDir);

/** The built application as `npm start` serves it, with a model server that speaks OpenAI's wire and the default MCP servers, or these. */
export function startBenchApp(
  modelUrl: string,
  env: Record<string, string> = {},
  mcpServers?: Record<string, McpServerConfig>,
): Promise<App> {
  return startApp({
    ...(mcpServers && { mcpConfig: { mcpServers } }),
    env: {
      NEXT_DIST_DIR: distDir,
      // Offers openai/test-model; the default stays the demo model.
      OPENAI_BASE_URL: modelUrl,
      TOOL_APPROVAL: "allow",
      ...env,
    },
  });
}

/** Waits until no MCP server is connecting any more, so that every run offers the same tools. */
export async function serversSettled(app: App): Promise<void> {
  for (let count = 0; count < 200; count++) {
    const { items } = (await (await app.fetch("/api/mcp/servers")).json()) as { items: { status: string }[] };
    if (items.every(({ status }) => status !== "connecting")) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The MCP servers did not connect within 20 s.");
}
