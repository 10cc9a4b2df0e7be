import { route } from "@/lib/server/entry/route";
import { readLog } from "@/lib/server/servers/servers";

export const GET = route({ access: "admin" }, async ({ deps, params, request }) =>
  readLog(deps, params.name, request),
);
