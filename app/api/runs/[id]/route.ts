import { route } from "@/lib/server/entry/route";
import { findRun, toRunItem } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params }) =>
  toRunItem(deps, await findRun(deps, userId, params.id)),
);
