import { listPrompts } from "@/lib/server/library";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps }) => listPrompts(deps));
