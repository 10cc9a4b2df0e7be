import { PageQuery } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { listDeliveries } from "@/lib/server/hooks/hooks";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, person, params, request }) =>
  listDeliveries(deps, person, params.id, readQuery(request, PageQuery)),
);
