import { readQuery } from "@/lib/server/body";
import { route } from "@/lib/server/route";
import { PageQuery } from "@/lib/server/schemas";
import { listShares } from "@/lib/server/shares";

export const GET = route({}, async ({ deps, userId, request }) =>
  listShares(deps, userId, readQuery(request, PageQuery)),
);
