import { invite, listInvitations } from "@/lib/server/accounts/invitations";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { InvitationBody } from "@/lib/server/contract/accounts";
import { json, route } from "@/lib/server/entry/route";

export const GET = route({ access: "admin" }, async ({ deps }) => listInvitations(requireAccounts(deps)));

export const POST = route(
  {
    access: "admin",
    scope: "none",
    body: InvitationBody,
    audit: ({ body }) => ({ action: "people.invited", on: `${body.email ?? "anybody"}, ${body.role}` }),
  },
  async ({ deps, userId, body }) => json(await invite(requireAccounts(deps), userId, body), 201),
);
