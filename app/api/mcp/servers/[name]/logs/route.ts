import { route } from "@/lib/server/http/route";
import { readLog } from "@/lib/server/servers/server-log";

export const GET = route({}, async ({ deps, params, request }) => readLog(deps, params.name, request));
