import { route } from "@/lib/server/entry/route";
import { ProviderTestRequest } from "@/lib/server/http/settings-schemas";
import { testProvider } from "@/lib/server/settings/settings";

export const POST = route({ body: ProviderTestRequest }, async ({ deps, params, body }) =>
  testProvider(deps, params.id ?? "", body),
);
