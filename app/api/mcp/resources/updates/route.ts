import { readQuery } from "@/lib/server/body";
import { streamUpdates } from "@/lib/server/resource-updates";
import { route } from "@/lib/server/route";
import { WatchQuery } from "@/lib/server/schemas";

export const GET = route({}, async ({ deps, request }) =>
  streamUpdates(deps, readQuery(request, WatchQuery).watch, request.signal),
);
