import { route } from "@/lib/server/http/route";
import { sharedJson } from "@/lib/server/shares/shared-answer";

export const GET = route({ access: "public" }, async ({ params, request }) =>
  sharedJson(params.token, request),
);
