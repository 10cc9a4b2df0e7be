import { route } from "@/lib/server/entry/route";
import { CompleteBody } from "@/lib/server/http/mcp-schemas";
import { complete } from "@/lib/server/servers/library";

export const POST = route({ body: CompleteBody }, async ({ deps, body, request }) =>
  complete(deps, body, request.signal),
);
