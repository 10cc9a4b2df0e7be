import { route } from "@/lib/server/entry/route";
import { listSkills } from "@/lib/server/servers/library";

export const GET = route({}, async ({ deps }) => listSkills(deps));
