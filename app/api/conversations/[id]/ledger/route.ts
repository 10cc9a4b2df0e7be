import { LedgerQuery } from "@/lib/server/contract/conversations";
import { readLedger } from "@/lib/server/conversations/ledger";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  readLedger(deps, userId, params.id, readQuery(request, LedgerQuery).model),
);
