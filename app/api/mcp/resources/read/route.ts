import { ResourceBody } from "@/lib/server/http/mcp-schemas";
import { route } from "@/lib/server/http/route";
import { readResource } from "@/lib/server/servers/library";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readResource(deps, body, request.signal),
);
