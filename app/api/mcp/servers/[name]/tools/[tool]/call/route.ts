import { route } from "@/lib/server/entry/route";
import { ToolCallBody } from "@/lib/server/http/mcp-schemas";
import { tryTool } from "@/lib/server/servers/try-tool";

export const POST = route({ body: ToolCallBody }, async ({ deps, params, body, request }) =>
  tryTool(deps, params.name, params.tool, body.args, request),
);
