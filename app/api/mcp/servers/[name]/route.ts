import { ServerPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { serverForPerson } from "@/lib/server/servers/member-view";
import { findServer, patchServer, removeServer } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, person, params }) =>
  serverForPerson(person, findServer(deps, params.name)),
);

export const PATCH = route(
  {
    body: ServerPatch,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_changed", on: params.name }),
  },
  async ({ deps, params, body, userId }) => patchServer(deps, { name: params.name, userId }, body),
);

export const DELETE = route(
  { access: "admin", audit: ({ params }) => ({ action: "setup.server_removed", on: params.name }) },
  async ({ deps, params }) => removeServer(deps, params.name),
);
