import { route } from "@/lib/server/entry/route";
import { findRun, toRunDetail } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params }) =>
  toRunDetail(deps, await findRun(deps, userId, params.id)),
);
