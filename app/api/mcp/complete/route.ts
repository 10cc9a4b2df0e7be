import { complete } from "@/lib/server/library";
import { route } from "@/lib/server/route";
import { CompleteBody } from "@/lib/server/schemas";

export const POST = route({ body: CompleteBody }, async ({ deps, body, request }) =>
  complete(deps, body, request.signal),
);
