import { SharePatch } from "@/lib/server/contract/conversations";
import { route } from "@/lib/server/entry/route";
import { patchShare, revokeShare } from "@/lib/server/shares/shares";

export const PATCH = route({ body: SharePatch }, async ({ deps, userId, params, body }) =>
  patchShare(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => revokeShare(deps, userId, params.id));
