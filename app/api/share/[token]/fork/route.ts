import { json, route } from "@/lib/server/route";
import { EmptyBody } from "@/lib/server/schemas";
import { forkShare } from "@/lib/server/shared-answer";

export const POST = route({ body: EmptyBody }, async ({ deps, userId, params }) =>
  json(await forkShare(deps, userId, params.token), 201),
);
