import { openApi } from "@/lib/server/contract/openapi";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async () => openApi());
