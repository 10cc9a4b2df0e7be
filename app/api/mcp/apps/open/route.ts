import { openApp } from "@/lib/server/apps/apps";
import { route } from "@/lib/server/entry/route";
import { AppBody } from "@/lib/server/http/mcp-schemas";

export const POST = route({ body: AppBody }, async ({ deps, body, request }) => openApp(deps, body, request));
