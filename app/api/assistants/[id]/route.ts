import { patchAssistant, readAssistant, removeAssistant } from "@/lib/server/assistants/assistants";
import { AssistantPatch } from "@/lib/server/contract/assistants";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps, userId, params }) => readAssistant(deps, userId, params.id));

export const PATCH = route({ body: AssistantPatch }, async ({ deps, userId, params, body }) =>
  patchAssistant(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => removeAssistant(deps, userId, params.id));
