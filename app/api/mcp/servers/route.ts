import { ServerBody } from "@/lib/server/contract/servers";
import { json, route } from "@/lib/server/entry/route";
import { addServers } from "@/lib/server/servers/add-servers";
import { maxFileBody } from "@/lib/server/servers/config-file";
import { serversForMember } from "@/lib/server/servers/member-view";
import { listServers } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, person }) =>
  person.role === "admin" ? listServers(deps) : serversForMember(person, listServers(deps)),
);

export const POST = route(
  {
    body: ServerBody,
    limit: maxFileBody,
    audit: ({ request, body }) =>
      isPreview(request)
        ? undefined
        : { action: "setup.server_added", on: "name" in body ? `${body.name}` : null },
  },
  async ({ deps, body, request, person, userId }) => {
    const preview = isPreview(request);
    const own = person.role !== "admin";
    return json(await addServers(deps, { body, userId, own }, preview), preview ? 200 : 201);
  },
);

const isPreview = (request: Request): boolean => new URL(request.url).searchParams.get("preview") === "true";
