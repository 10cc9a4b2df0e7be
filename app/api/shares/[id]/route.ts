import { SharePatch } from "@/lib/server/contract/conversations";
import { route } from "@/lib/server/entry/route";
import { patchShare, revokeShare } from "@/lib/server/shares/shares";

export const PATCH = route(
  { scope: "chat", body: SharePatch, audit: ({ params }) => ({ action: "shares.changed", on: params.id }) },
  async ({ deps, userId, params, body }) => patchShare(deps, userId, params.id, body),
);

export const DELETE = route(
  { scope: "chat", audit: ({ params }) => ({ action: "shares.ended", on: params.id }) },
  async ({ deps, userId, params }) => revokeShare(deps, userId, params.id),
);
