import { WatchQuery } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { streamUpdates } from "@/lib/server/servers/library";

export const GET = route({}, async ({ deps, request }) =>
  streamUpdates(deps, readQuery(request, WatchQuery).watch, request.signal),
);
