import { UsageQuery } from "@/lib/server/contract/settings";
import { readUsage } from "@/lib/server/conversations/usage";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, request }) =>
  readUsage(deps, userId, readQuery(request, UsageQuery)),
);
