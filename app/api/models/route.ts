import { route } from "@/lib/server/http/route";
import { listModels } from "@/lib/server/settings/settings";

export const GET = route({}, async ({ deps, userId }) => listModels(deps, userId));
