import { ToolCallBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";
import { tryTool } from "@/lib/server/try-tool";

export const POST = route({ body: ToolCallBody }, async ({ deps, params, body, request }) =>
  tryTool(deps, params.name, params.tool, body.args, request),
);
