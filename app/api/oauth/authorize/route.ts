import { AuthorizationBody } from "@/lib/server/contract/oauth";
import { route } from "@/lib/server/entry/route";
import { answerAuthorization } from "@/lib/server/oauth/authorize";

export const POST = route(
  {
    scope: "none",
    body: AuthorizationBody,
    audit: ({ body }, answer) =>
      body.allow ? { action: "tokens.made", on: `${(answer as { name: string }).name}, mcp` } : undefined,
  },
  async ({ deps, person, request, body }) =>
    answerAuthorization(deps, { person, headers: request.headers }, body),
);
