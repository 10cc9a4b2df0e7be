import { route } from "@/lib/server/entry/route";
import { listSkills } from "@/lib/server/skills/skills";

export const GET = route({}, async ({ deps }) => listSkills(deps));
