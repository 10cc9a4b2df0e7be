import { route } from "@/lib/server/entry/route";
import { refuse } from "@/lib/server/openai/errors";
import { listOpenAiModels } from "@/lib/server/openai/models";

export const GET = route({ access: "program", scope: "chat", refuse }, async ({ deps, userId }) =>
  listOpenAiModels(deps, userId),
);
