import { route } from "@/lib/server/entry/route";
import { listResources } from "@/lib/server/servers/library";

export const GET = route({}, async ({ deps }) => listResources(deps));
