import { route } from "@/lib/server/entry/route";
import { ResourceBody } from "@/lib/server/http/mcp-schemas";
import { readResource } from "@/lib/server/servers/library";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readResource(deps, body, request.signal),
);
