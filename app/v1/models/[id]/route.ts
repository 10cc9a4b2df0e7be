import { route } from "@/lib/server/entry/route";
import { refuse } from "@/lib/server/openai/errors";
import { findOpenAiModel } from "@/lib/server/openai/models";

/** Clients send the slash of a name as `%2F`. */
export const GET = route({ access: "program", scope: "chat", refuse }, async ({ deps, userId, params }) =>
  findOpenAiModel(deps, userId, params.id),
);
