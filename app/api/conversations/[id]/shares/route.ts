import { json, route } from "@/lib/server/entry/route";
import { ShareBody } from "@/lib/server/http/schemas";
import { createShare } from "@/lib/server/shares/shares";

export const POST = route({ body: ShareBody }, async ({ deps, userId, params, body }) =>
  json(await createShare(deps, userId, params.id, body), body.dryRun ? 200 : 201),
);
