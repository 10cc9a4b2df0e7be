import { route } from "@/lib/server/route";
import { listModels } from "@/lib/server/settings";

export const GET = route({}, async ({ deps, userId }) => listModels(deps, userId));
