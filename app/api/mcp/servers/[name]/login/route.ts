import { LoginBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { beginLogin } from "@/lib/server/servers/logins";
import { checkOwn } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: LoginBody,
    audit: ({ params }) => ({ action: "setup.server_signed_in", on: params.name }),
  },
  async ({ deps, person, userId, params, body, request }) => {
    checkOwn(deps, person, params.name);
    return beginLogin(deps, { userId, name: params.name, conversationId: body.conversationId }, request);
  },
);
