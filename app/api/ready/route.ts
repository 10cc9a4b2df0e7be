import { answerReady } from "@/lib/server/entry/readiness";
import { route } from "@/lib/server/entry/route";

export const GET = route({ access: "probe" }, ({ deps, request }) => answerReady(deps, request.headers));
