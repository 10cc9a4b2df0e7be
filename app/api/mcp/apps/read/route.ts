import { readForApp } from "@/lib/server/apps/apps";
import { route } from "@/lib/server/entry/route";
import { ResourceBody } from "@/lib/server/http/mcp-schemas";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readForApp(deps, body, request.signal),
);
