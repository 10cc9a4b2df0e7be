import { readSkill } from "@/lib/server/library";
import { route } from "@/lib/server/route";
import { SkillBody } from "@/lib/server/schemas";

export const POST = route({ body: SkillBody }, async ({ deps, body, request }) =>
  readSkill(deps, body, request.signal),
);
