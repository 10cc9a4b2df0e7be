import { ServerPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { checkAdmin } from "@/lib/server/http/guard";
import { serverForPerson } from "@/lib/server/servers/member-view";
import { removeOwnServer } from "@/lib/server/servers/own-servers";
import { checkPatches, findServer, patchServer, removeServer } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, person, params }) =>
  serverForPerson(person, findServer(deps, params.name)),
);

export const PATCH = route(
  {
    body: ServerPatch,
    audit: ({ params }) => ({ action: "setup.server_changed", on: params.name }),
  },
  async ({ deps, params: { name }, body, person, userId }) => {
    checkPatches(deps, person, { name, patch: body });
    const isAdmin = person.role === "admin";
    return serverForPerson(person, await patchServer(deps, { name, userId, isAdmin }, body));
  },
);

export const DELETE = route(
  { audit: ({ params }) => ({ action: "setup.server_removed", on: params.name }) },
  async ({ deps, params: { name }, person }) => {
    const item = deps.pool.server(name);
    const isOwn = item?.owner === person.id || (person.role !== "admin" && item?.hidesOwn);
    if (isOwn) return removeOwnServer(deps, person.id, name);
    checkAdmin(person);
    return removeServer(deps, name);
  },
);
