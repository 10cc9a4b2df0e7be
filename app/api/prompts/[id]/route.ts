import { PromptPatch } from "@/lib/server/contract/prompts";
import { route } from "@/lib/server/entry/route";
import { patchPrompt, removePrompt } from "@/lib/server/prompts/prompts";

export const PATCH = route({ body: PromptPatch }, async ({ deps, userId, params, body }) =>
  patchPrompt(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => removePrompt(deps, userId, params.id));
