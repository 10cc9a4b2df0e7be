import { complete } from "@/lib/server/library";
import { CompleteBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const POST = route({ body: CompleteBody }, async ({ deps, body, request }) =>
  complete(deps, body, request.signal),
);
