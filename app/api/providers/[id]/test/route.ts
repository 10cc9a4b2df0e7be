import { route } from "@/lib/server/route";
import { ProviderAccess } from "@/lib/server/schemas";
import { testProvider } from "@/lib/server/settings";

export const POST = route({ body: ProviderAccess }, async ({ deps, params, body }) =>
  testProvider(deps, params.id ?? "", body),
);
