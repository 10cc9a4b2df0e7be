import { route } from "@/lib/server/route";
import { testProvider } from "@/lib/server/settings";
import { ProviderTestRequest } from "@/lib/server/settings-schemas";

export const POST = route({ body: ProviderTestRequest }, async ({ deps, params, body }) =>
  testProvider(deps, params.id ?? "", body),
);
