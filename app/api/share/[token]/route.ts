import { route } from "@/lib/server/route";
import { sharedJson } from "@/lib/server/shared-answer";

export const GET = route({ access: "public" }, async ({ params, request }) =>
  sharedJson(params.token, request),
);
