import { CompleteBody } from "@/lib/server/http/mcp-schemas";
import { route } from "@/lib/server/http/route";
import { complete } from "@/lib/server/servers/library";

export const POST = route({ body: CompleteBody }, async ({ deps, body, request }) =>
  complete(deps, body, request.signal),
);
