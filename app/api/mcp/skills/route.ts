import { route } from "@/lib/server/http/route";
import { listSkills } from "@/lib/server/servers/library";

export const GET = route({}, async ({ deps }) => listSkills(deps));
