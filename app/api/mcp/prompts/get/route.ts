import { route } from "@/lib/server/entry/route";
import { PromptBody } from "@/lib/server/http/mcp-schemas";
import { getPrompt } from "@/lib/server/servers/library";

export const POST = route({ body: PromptBody }, async ({ deps, body, request }) =>
  getPrompt(deps, body, request.signal),
);
