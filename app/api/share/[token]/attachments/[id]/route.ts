import { route } from "@/lib/server/entry/route";
import { sharedAttachment } from "@/lib/server/shares/shared-answer";

export const GET = route({ access: "public" }, async ({ deps, params, request }) =>
  sharedAttachment(deps, params.token, params.id, request),
);
