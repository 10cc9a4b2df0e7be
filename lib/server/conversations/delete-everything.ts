import { setTimeout as sleep } from "node:timers/promises";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { endLive, endWait } from "@/lib/server/runs/stop-run";

type DeletionDeps = RunDeps &
  Pick<BaseDeps, "log" | "pool"> & {
    files: Pick<AttachmentFiles, "sweep">;
    /** What brings conversations in. */
    imports: { pausedFor(work: () => Promise<void>): Promise<void> };
    /** Conversations that are in memory alone. */
    temporary: { endAll(): Promise<void> };
    /** Where other processes have some of it in their memory. */
    emptied: { note(deps: Pick<RunDeps, "store">): Promise<void> };
  };

/** Runs end at once when they are told to; this is for a disk that hangs. */
const stopWithinMs = 10_000;
const lookAgainMs = 20;

/**
 * Stops what runs or waits, then deletes everything that people and models have written, of everybody, finally. How Meguri is
 * set up stays. Where the process dies on the way, the next start goes on (`Store.empty`, `clearAttachments`).
 */
export async function deleteEverything(deps: DeletionDeps): Promise<void> {
  const { runs, imports, turns } = deps;
  await turns.run("everything", async () => {
    runs.deleting = true;
    try {
      await imports.pausedFor(() => empty(deps));
    } finally {
      runs.deleting = false;
    }
  });
}

async function empty(deps: DeletionDeps): Promise<void> {
  const { runs, store, files, pool, log } = deps;
  await stopRuns(deps);
  await deps.temporary.endAll();
  await letGo(deps);
  await store.empty();
  await deps.emptied.note(deps);
  runs.stalled.clear();
  await files.sweep(await store.attachments.allIds());
  pool.clearLogs();
  log.info("everything was deleted");
}

/** Nothing may be writing a log when the logs go. */
async function stopRuns({ runs }: RunDeps): Promise<void> {
  const deadline = Date.now() + stopWithinMs;
  while (!runs.isIdle) {
    if (Date.now() > deadline)
      throw new HttpError(
        503,
        "not_stopped",
        "An answer that is being written could not be stopped, so nothing was deleted; try again in a few seconds.",
        undefined,
        5,
      );
    for (const title of runs.titling.values()) title.abort();
    await Promise.all([...runs.all().map(endLive), sleep(lookAgainMs)]);
  }
}

/** Calls that wait for a person are under way on their servers. */
async function letGo(deps: RunDeps): Promise<void> {
  for (const run of await deps.store.runs.withStatus("waiting"))
    await deps.turns
      .run(run.conversationId, () => endWait(deps, run))
      .catch((err) => deps.log.warn({ err, runId: run.id }, "a waiting call was not ended on its server"));
}
