import { SecretsPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { serverForPerson } from "@/lib/server/servers/member-view";
import { changeSecrets, checkOwn } from "@/lib/server/servers/servers";

export const PATCH = route(
  {
    body: SecretsPatch,
    audit: ({ params }) => ({ action: "setup.server_secrets_changed", on: params.name }),
  },
  async ({ deps, person, params: { name }, body }) => {
    checkOwn(deps, person, name);
    return serverForPerson(person, await changeSecrets(deps, { name, userId: person.id }, body));
  },
);
