import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";
import { testHook } from "@/lib/server/hooks/hooks";

export const POST = route({ body: EmptyBody }, async ({ deps, person, params }) =>
  json(await testHook(deps, person, params.id), 202),
);
