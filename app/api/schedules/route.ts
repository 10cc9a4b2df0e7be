import { ScheduleBody } from "@/lib/server/contract/schedules";
import { json, route } from "@/lib/server/entry/route";
import { addSchedule, listSchedules } from "@/lib/server/schedules/schedules";

export const GET = route({}, async ({ deps, userId }) => listSchedules(deps, userId));

export const POST = route({ body: ScheduleBody }, async ({ deps, userId, body }) =>
  json(await addSchedule(deps, userId, body), 201),
);
