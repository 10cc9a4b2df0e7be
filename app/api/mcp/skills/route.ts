import { listSkills } from "@/lib/server/library";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps }) => listSkills(deps));
