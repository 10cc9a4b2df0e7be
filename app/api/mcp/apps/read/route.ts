import { readForApp } from "@/lib/server/apps/apps";
import { ResourceBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";

export const POST = route({ body: ResourceBody }, async ({ deps, body, request }) =>
  readForApp(deps, body, request.signal),
);
