import { callForApp } from "@/lib/server/apps/apps";
import { AppCallBody } from "@/lib/server/http/mcp-schemas";
import { route } from "@/lib/server/http/route";

export const POST = route({ body: AppCallBody }, async ({ deps, userId, body, request }) =>
  callForApp(deps, userId, body, request.signal),
);
