import { route } from "@/lib/server/route";
import { testProvider } from "@/lib/server/settings";
import { ProviderAccess } from "@/lib/server/settings-schemas";

export const POST = route({ body: ProviderAccess }, async ({ deps, params, body }) =>
  testProvider(deps, params.id ?? "", body),
);
