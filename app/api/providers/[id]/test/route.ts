import { ProviderTestRequest } from "@/lib/server/contract/settings";
import { route } from "@/lib/server/entry/route";
import { testProvider } from "@/lib/server/settings/test-provider";

export const POST = route({ body: ProviderTestRequest, access: "admin" }, async ({ deps, params, body }) =>
  testProvider(deps, params.id ?? "", body),
);
