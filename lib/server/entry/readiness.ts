import type { DiskState } from "@/lib/protocol/data";
import { HttpError, overloaded } from "@/lib/server/http/errors";
import { failureOfStore } from "@/lib/server/http/store-failure";
import type { Deps } from "./open-deps";

/** Whether work can be taken: the database takes a write, we are not shutting down, and there is room for runs. */
export async function readiness(deps: Deps): Promise<{ status: "ready"; liveRuns: number; disk: DiskState }> {
  if (deps.runs.draining) throw new HttpError(503, "draining", "The server is shutting down.", undefined, 5);
  if (deps.runs.isNearlyFull) throw overloaded("Too many answers are being written; try again soon.");
  await deps.store.probe().catch((cause) => {
    const { code, message } = failureOfStore(cause) ?? {
      code: "database",
      message: "The database does not answer.",
    };
    throw new HttpError(503, code, message, undefined, 5);
  });
  // Answered all the same: nobody else could take the work.
  return { status: "ready", liveRuns: deps.runs.count, disk: await deps.disk.state() };
}
