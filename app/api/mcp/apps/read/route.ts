import { readForApp } from "@/lib/server/apps/apps";
import { ResourceBody } from "@/lib/server/http/mcp-schemas";
import { route } from "@/lib/server/http/route";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readForApp(deps, body, request.signal),
);
