import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";
import { runSchedule } from "@/lib/server/schedules/schedules";

export const POST = route({ scope: "chat", body: EmptyBody }, async ({ deps, userId, params }) =>
  json(await runSchedule(deps, userId, params.id), 202),
);
