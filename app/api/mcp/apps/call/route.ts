import { callForApp } from "@/lib/server/apps/apps";
import { route } from "@/lib/server/entry/route";
import { AppCallBody } from "@/lib/server/http/mcp-schemas";

export const POST = route({ body: AppCallBody }, async ({ deps, userId, body, request }) =>
  callForApp(deps, userId, body, request.signal),
);
