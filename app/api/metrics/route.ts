import { route } from "@/lib/server/entry/route";
import { answerMetrics } from "@/lib/server/metrics/answer-metrics";

export const GET = route({ access: "probe" }, ({ deps, request }) => answerMetrics(deps, request.headers));
