import { json, route } from "@/lib/server/route";
import { ShareBody } from "@/lib/server/schemas";
import { createShare } from "@/lib/server/shares";

export const POST = route({ body: ShareBody }, async ({ deps, userId, params, body }) =>
  json(await createShare(deps, userId, params.id, body), body.dryRun ? 200 : 201),
);
