import { TimesQuery } from "@/lib/server/contract/schedules";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { timesOf } from "@/lib/server/schedules/schedules";

export const GET = route({}, async ({ request }) => timesOf(readQuery(request, TimesQuery)));
