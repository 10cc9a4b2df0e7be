import { SavedRequestBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";
import { listRequests, saveRequest } from "@/lib/server/saved-requests";
import { findServer } from "@/lib/server/servers";

export const GET = route({}, async ({ deps, params, userId }) =>
  listRequests(deps, userId, findServer(deps, params.name).name),
);

export const POST = route({ body: SavedRequestBody }, async ({ deps, params, body, userId }) =>
  saveRequest(deps, userId, findServer(deps, params.name).name, body),
);
