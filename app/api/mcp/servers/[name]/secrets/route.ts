import { SecretsPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { changeSecrets } from "@/lib/server/servers/servers";

export const PATCH = route(
  {
    body: SecretsPatch,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_secrets_changed", on: params.name }),
  },
  async ({ deps, params, body }) => changeSecrets(deps, params.name, body),
);
