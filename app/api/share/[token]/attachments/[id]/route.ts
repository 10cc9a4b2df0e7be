import { route } from "@/lib/server/route";
import { sharedAttachment } from "@/lib/server/shared-answer";

export const GET = route({ access: "public" }, async ({ deps, params }) =>
  sharedAttachment(deps, params.token, params.id),
);
