import { route } from "@/lib/server/entry/route";
import { feedResponse } from "@/lib/server/http/event-feed";

export const GET = route({}, async ({ deps, userId, request }) =>
  feedResponse(request, deps.hints.open(userId), {}),
);
