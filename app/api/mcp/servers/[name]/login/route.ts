import { LoginBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { beginLogin } from "@/lib/server/servers/logins";

export const POST = route(
  {
    body: LoginBody,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_signed_in", on: params.name }),
  },
  async ({ deps, userId, params, body, request }) =>
    beginLogin(deps, { userId, name: params.name, conversationId: body.conversationId }, request),
);
