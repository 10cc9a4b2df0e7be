import { route } from "@/lib/server/route";
import { readLog } from "@/lib/server/server-log";

export const GET = route({}, async ({ deps, params, request }) => readLog(deps, params.name, request));
