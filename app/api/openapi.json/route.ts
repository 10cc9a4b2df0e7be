import { openApi } from "@/lib/server/http/openapi";
import { route } from "@/lib/server/http/route";

export const GET = route({}, async () => openApi());
