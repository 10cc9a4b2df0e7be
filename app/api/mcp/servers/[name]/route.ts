import { ServerPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { findServer, patchServer, removeServer } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, params }) => findServer(deps, params.name));

export const PATCH = route({ body: ServerPatch }, async ({ deps, params, body }) =>
  patchServer(deps, params.name, body),
);

export const DELETE = route({}, async ({ deps, params }) => removeServer(deps, params.name));
