import type { Deps } from "./deps";
import { HttpError } from "./errors";

/** Whether work can be taken: the database answers and we are not shutting down. */
export async function readiness(deps: Deps): Promise<{ status: "ready"; liveRuns: number }> {
  if (deps.runs.draining) throw new HttpError(503, "draining", "The server is shutting down.", undefined, 5);
  await deps.store.ping().catch(() => {
    throw new HttpError(503, "database", "The database does not answer.", undefined, 5);
  });
  return { status: "ready", liveRuns: deps.runs.count };
}
