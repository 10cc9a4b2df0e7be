import { PromptBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";
import { getPrompt } from "@/lib/server/servers/library";

export const POST = route({ scope: "chat", body: PromptBody }, async ({ deps, body, request }) =>
  getPrompt(deps, body, request.signal),
);
