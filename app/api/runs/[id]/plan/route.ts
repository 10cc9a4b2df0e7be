import { route } from "@/lib/server/entry/route";
import { findRun } from "@/lib/server/runs/run-item";
import { takePlanBack } from "@/lib/server/runs/take-plan-back";

export const DELETE = route({ scope: "chat" }, async ({ deps, userId, params }) =>
  takePlanBack(deps, await findRun(deps, userId, params.id)),
);
