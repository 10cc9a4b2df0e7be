import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { PasskeyBody } from "@/lib/server/contract/passkeys";
import { json, route } from "@/lib/server/entry/route";

export const GET = route({ scope: "none" }, async ({ deps, person }) =>
  requireAccounts(deps).accounts.passkeys.list(person),
);

export const POST = route(
  {
    scope: "none",
    body: PasskeyBody,
    audit: ({ body }) => ({ action: "signIn.passkey_added", on: body.name }),
  },
  async ({ deps, person, body, request }) =>
    json(await requireAccounts(deps).accounts.passkeys.add(request, person, body), 201),
);
