import { route } from "@/lib/server/entry/route";
import { findServer } from "@/lib/server/servers/servers";
import { dropRequest } from "@/lib/server/settings/saved-requests";

export const DELETE = route({}, async ({ deps, params, userId }) =>
  dropRequest(deps, userId, findServer(deps, params.name).name, params.id),
);
