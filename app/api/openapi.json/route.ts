import { route } from "@/lib/server/entry/route";
import { openApi } from "@/lib/server/http/openapi";

export const GET = route({}, async () => openApi());
