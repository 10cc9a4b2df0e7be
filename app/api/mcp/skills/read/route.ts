import { readSkill } from "@/lib/server/library";
import { SkillBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const POST = route({ body: SkillBody }, async ({ deps, body, request }) =>
  readSkill(deps, body, request.signal),
);
