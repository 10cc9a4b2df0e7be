import { route } from "@/lib/server/entry/route";
import { describeClient } from "@/lib/server/servers/logins";

/** Our client metadata document (CIMD), read by authorization servers. */
export const GET = route({ access: "public" }, async ({ deps }) => describeClient(deps));
