import { route } from "@/lib/server/entry/route";
import { version } from "@/lib/server/version";

export const GET = route({ access: "public" }, async () => ({ status: "ok", version }));
