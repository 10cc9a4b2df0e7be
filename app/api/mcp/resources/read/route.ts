import { readResource } from "@/lib/server/library";
import { ResourceBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readResource(deps, body, request.signal),
);
