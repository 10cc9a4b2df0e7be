import { getPrompt } from "@/lib/server/library";
import { route } from "@/lib/server/route";
import { PromptBody } from "@/lib/server/schemas";

export const POST = route({ body: PromptBody }, async ({ deps, body, request }) =>
  getPrompt(deps, body, request.signal),
);
