import { route } from "@/lib/server/route";
import { SecretsPatch } from "@/lib/server/schemas";
import { changeSecrets } from "@/lib/server/servers";

export const PATCH = route({ body: SecretsPatch }, async ({ deps, params, body }) =>
  changeSecrets(deps, params.name, body),
);
