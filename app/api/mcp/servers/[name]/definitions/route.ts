import { route } from "@/lib/server/entry/route";
import { listDefinitions } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, params }) => listDefinitions(deps, params.name));
