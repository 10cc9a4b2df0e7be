import { ToolCallBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { tryTool } from "@/lib/server/servers/try-tool";

export const POST = route(
  {
    body: ToolCallBody,
    audit: ({ params }) => ({ action: "calls.made_by_hand", on: `${params.name} · ${params.tool}` }),
  },
  async ({ deps, params, body, request, userId }) =>
    tryTool(deps, params.name, params.tool, body.args, { request, userId }),
);
