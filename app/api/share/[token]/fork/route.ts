import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";
import { forkShare } from "@/lib/server/shares/shared-answer";

export const POST = route({ scope: "chat", body: EmptyBody }, async ({ deps, userId, params }) =>
  json(await forkShare(deps, userId, params.token), 201),
);
