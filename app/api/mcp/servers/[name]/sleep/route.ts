import { route } from "@/lib/server/route";
import { EmptyBody } from "@/lib/server/schemas";
import { sleepServer } from "@/lib/server/servers";

export const POST = route({ body: EmptyBody }, async ({ deps, params }) => sleepServer(deps, params.name));
