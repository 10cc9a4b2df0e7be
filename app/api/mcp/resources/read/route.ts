import { readResource } from "@/lib/server/library";
import { route } from "@/lib/server/route";
import { ResourceBody } from "@/lib/server/schemas";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readResource(deps, body, request.signal),
);
