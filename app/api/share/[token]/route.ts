import { route } from "@/lib/server/entry/route";
import { sharedJson } from "@/lib/server/shares/shared-answer";

export const GET = route({ access: "public" }, async ({ deps, params, request }) =>
  sharedJson(deps, params.token, request),
);
