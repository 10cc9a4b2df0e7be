import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";

/** Switches step mode on or off for a run that goes on or waits; what waits already stays a question. */
export async function setStep(
  deps: Pick<RunDeps, "store" | "runs">,
  row: RunRow,
  isOn: boolean,
): Promise<void> {
  await deps.store.runs.setStep(row.id, isOn).catch((cause) => {
    throw isConflict(cause) ? ended() : cause;
  });
  row.options = { ...row.options, step: isOn };
  const live = deps.runs.get(row.id);
  // Whoever looks at it again has the same object.
  if (live) live.row.options.step = isOn;
}

const ended = () =>
  new HttpError(409, "run_ended", "step: this run has ended; switch step mode on with the next question.");
