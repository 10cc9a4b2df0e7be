import { getPrompt } from "@/lib/server/library";
import { PromptBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const POST = route({ body: PromptBody }, async ({ deps, body, request }) =>
  getPrompt(deps, body, request.signal),
);
