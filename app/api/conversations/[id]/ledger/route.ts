import { LedgerPatch, LedgerQuery } from "@/lib/server/contract/conversations";
import { chooseContext } from "@/lib/server/conversations/choose-context";
import { readLedger } from "@/lib/server/conversations/ledger";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  readLedger(deps, userId, params.id, readQuery(request, LedgerQuery).model),
);

export const PATCH = route(
  { scope: "chat", body: LedgerPatch },
  async ({ deps, userId, params, body, request }) => {
    const { model } = readQuery(request, LedgerQuery);
    await chooseContext(deps, userId, params.id, body);
    return readLedger(deps, userId, params.id, model);
  },
);
