import { callForApp } from "@/lib/server/apps/apps";
import { AppCallBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";

export const POST = route({ body: AppCallBody }, async ({ deps, userId, body, request }) =>
  callForApp(deps, userId, body, request.signal),
);
