import { RunListQuery } from "@/lib/server/contract/runs";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { listRuns } from "@/lib/server/runs/list-runs";

export const GET = route({}, async ({ deps, userId, request }) =>
  listRuns(deps, userId, readQuery(request, RunListQuery)),
);
