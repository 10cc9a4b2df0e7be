import { route } from "@/lib/server/route";
import { listDefinitions } from "@/lib/server/servers";

export const GET = route({}, async ({ deps, params }) => listDefinitions(deps, params.name));
