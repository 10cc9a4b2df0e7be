import { route } from "@/lib/server/route";
import { dropRequest } from "@/lib/server/saved-requests";
import { findServer } from "@/lib/server/servers";

export const DELETE = route({}, async ({ deps, params, userId }) =>
  dropRequest(deps, userId, findServer(deps, params.name).name, params.id),
);
