import { SavedRequestBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { findServer } from "@/lib/server/servers/servers";
import { listRequests, saveRequest } from "@/lib/server/settings/saved-requests";

export const GET = route({}, async ({ deps, params, userId }) =>
  listRequests(deps, userId, findServer(deps, params.name).name),
);

export const POST = route({ body: SavedRequestBody }, async ({ deps, params, body, userId }) =>
  saveRequest(deps, userId, findServer(deps, params.name).name, body),
);
