import { describeClient } from "@/lib/server/logins";
import { route } from "@/lib/server/route";

/** Our client metadata document (CIMD), read by authorization servers. */
export const GET = route({ access: "public" }, async ({ deps }) => describeClient(deps));
