import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { findRun, toRunItem } from "@/lib/server/runs/run-item";
import { stopRun } from "@/lib/server/runs/stop-run";

export const POST = route({ body: EmptyBody }, async ({ deps, userId, params }) => {
  await stopRun(deps, await findRun(deps, userId, params.id));
  return toRunItem(deps, await findRun(deps, userId, params.id));
});
