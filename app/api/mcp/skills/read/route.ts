import { SkillBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";
import { readSkill } from "@/lib/server/servers/library";

export const POST = route({ scope: "chat", body: SkillBody }, async ({ deps, body, request }) =>
  readSkill(deps, body, request.signal),
);
