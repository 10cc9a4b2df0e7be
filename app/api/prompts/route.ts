import { PromptBody, PromptQuery } from "@/lib/server/contract/prompts";
import { json, route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { addPrompt, listPrompts } from "@/lib/server/prompts/prompts";

export const GET = route({}, async ({ deps, userId, request }) =>
  listPrompts(deps, userId, readQuery(request, PromptQuery)),
);

export const POST = route({ body: PromptBody }, async ({ deps, userId, body }) =>
  json(await addPrompt(deps, userId, body), 201),
);
