import { openApp } from "@/lib/server/apps/apps";
import { AppBody } from "@/lib/server/http/mcp-schemas";
import { route } from "@/lib/server/http/route";

export const POST = route({ body: AppBody }, async ({ deps, body, request }) => openApp(deps, body, request));
