import { route } from "@/lib/server/http/route";
import { listDefinitions } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, params }) => listDefinitions(deps, params.name));
