import { SecretsPatch } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";
import { changeSecrets } from "@/lib/server/servers";

export const PATCH = route({ body: SecretsPatch }, async ({ deps, params, body }) =>
  changeSecrets(deps, params.name, body),
);
