import { readQuery } from "@/lib/server/body";
import { WatchQuery } from "@/lib/server/mcp-schemas";
import { streamUpdates } from "@/lib/server/resource-updates";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps, request }) =>
  streamUpdates(deps, readQuery(request, WatchQuery).watch, request.signal),
);
