import { openApp } from "@/lib/server/apps/apps";
import { AppBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";

export const POST = route({ body: AppBody }, async ({ deps, body, request }) => openApp(deps, body, request));
