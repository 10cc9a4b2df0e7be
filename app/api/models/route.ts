import { route } from "@/lib/server/entry/route";
import { listModels } from "@/lib/server/settings/settings";

export const GET = route({}, async ({ deps, userId }) => listModels(deps, userId));
