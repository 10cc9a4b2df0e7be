import { CompareQuery } from "@/lib/server/contract/tape";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { compareRuns } from "@/lib/server/runs/compare-runs";

export const GET = route({}, async ({ deps, userId, request }) =>
  compareRuns(deps, userId, readQuery(request, CompareQuery).ids),
);
