import { countCalls } from "@/lib/server/accounts/client-calls";
import { route } from "@/lib/server/entry/route";

export const GET = route({ scope: "none" }, async ({ deps, userId }) => countCalls(deps, userId));
