import { ShareBody } from "@/lib/server/contract/conversations";
import { json, route } from "@/lib/server/entry/route";
import { createShare } from "@/lib/server/shares/shares";

export const POST = route(
  {
    scope: "chat",
    body: ShareBody,
    audit: ({ params, body }) => (body.dryRun ? undefined : { action: "shares.made", on: params.id }),
  },
  async ({ deps, userId, params, body }) =>
    json(await createShare(deps, userId, params.id, body), body.dryRun ? 200 : 201),
);
