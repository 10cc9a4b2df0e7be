import { route } from "@/lib/server/entry/route";

export const GET = route({ access: "probe" }, async () => ({ status: "ok" }));
