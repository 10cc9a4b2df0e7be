import { route } from "@/lib/server/route";
import { findServer } from "@/lib/server/servers";

export const GET = route({}, async ({ deps, params }) => ({
  items: deps.pool.logs(findServer(deps, params.name).name),
  nextCursor: null,
}));
