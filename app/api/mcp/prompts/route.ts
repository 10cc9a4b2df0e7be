import { route } from "@/lib/server/entry/route";
import { listPrompts } from "@/lib/server/servers/library";

export const GET = route({}, async ({ deps }) => listPrompts(deps));
