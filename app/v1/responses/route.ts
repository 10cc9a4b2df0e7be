import { maxProgramBody } from "@/lib/server/contract/openai-fields";
import { ResponseBody } from "@/lib/server/contract/openai-responses";
import { route } from "@/lib/server/entry/route";
import { refuse } from "@/lib/server/openai/errors";
import { respond } from "@/lib/server/openai/respond";

export const POST = route(
  { access: "program", scope: "chat", body: ResponseBody, limit: maxProgramBody, refuse },
  async ({ deps, person, body, request }) => respond(deps, person, body, request),
);
