import { openApp } from "@/lib/server/apps/apps";
import { route } from "@/lib/server/route";
import { AppBody } from "@/lib/server/schemas";

export const POST = route({ body: AppBody }, async ({ deps, body, request }) => openApp(deps, body, request));
