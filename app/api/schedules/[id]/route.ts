import { SchedulePatch } from "@/lib/server/contract/schedules";
import { route } from "@/lib/server/entry/route";
import { patchSchedule, removeSchedule } from "@/lib/server/schedules/schedules";

export const PATCH = route({ body: SchedulePatch }, async ({ deps, userId, params, body }) =>
  patchSchedule(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => removeSchedule(deps, userId, params.id));
