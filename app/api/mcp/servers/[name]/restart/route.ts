import { route } from "@/lib/server/route";
import { EmptyBody } from "@/lib/server/schemas";
import { restartServer } from "@/lib/server/servers";

export const POST = route({ body: EmptyBody }, async ({ deps, params }) => restartServer(deps, params.name));
