import { LoginBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { beginLogin } from "@/lib/server/servers/logins";

export const POST = route(
  { body: LoginBody, access: "admin" },
  async ({ deps, userId, params, body, request }) =>
    beginLogin(deps, { userId, name: params.name, conversationId: body.conversationId }, request),
);
