import { openApi } from "@/lib/server/openapi";
import { route } from "@/lib/server/route";

export const GET = route({}, async () => openApi());
