import { ChatCompletionBody } from "@/lib/server/contract/openai-chat";
import { maxProgramBody } from "@/lib/server/contract/openai-fields";
import { route } from "@/lib/server/entry/route";
import { completeChat } from "@/lib/server/openai/complete-chat";
import { refuse } from "@/lib/server/openai/errors";

export const POST = route(
  { access: "program", scope: "chat", body: ChatCompletionBody, limit: maxProgramBody, refuse },
  async ({ deps, person, body, request }) => completeChat(deps, person, body, request),
);
