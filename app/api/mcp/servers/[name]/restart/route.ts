import { route } from "@/lib/server/entry/route";
import { EmptyBody } from "@/lib/server/http/schemas";
import { restartServer } from "@/lib/server/servers/servers";

export const POST = route({ body: EmptyBody }, async ({ deps, params }) => restartServer(deps, params.name));
