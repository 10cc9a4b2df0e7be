import type { Env } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { bearer } from "@/lib/server/http/guard";
import { same } from "@/lib/server/secrets";
import type { Metrics } from "./metrics";

interface MetricsDeps {
  env: Pick<Env, "METRICS_TOKEN">;
  metrics: Metrics | undefined;
}

/** For who has METRICS_TOKEN, and no other token or session; 404 where there is none. */
export async function answerMetrics(
  { env: { METRICS_TOKEN: token }, metrics }: MetricsDeps,
  headers: Headers,
): Promise<Response> {
  if (token === undefined || !metrics) throw notFound("route");
  if (!same(bearer(headers) ?? "", token))
    throw new HttpError(401, "unauthorized", "Send METRICS_TOKEN as Bearer.");
  return metrics.answer();
}
