import { addAssistant, listAssistants } from "@/lib/server/assistants/assistants";
import { AssistantBody } from "@/lib/server/contract/assistants";
import { PageQuery } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, request }) =>
  listAssistants(deps, userId, readQuery(request, PageQuery)),
);

export const POST = route({ body: AssistantBody }, async ({ deps, userId, body }) =>
  json(await addAssistant(deps, userId, body), 201),
);
