import { readForApp } from "@/lib/server/apps/apps";
import { route } from "@/lib/server/route";
import { ResourceBody } from "@/lib/server/schemas";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readForApp(deps, body, request.signal),
);
