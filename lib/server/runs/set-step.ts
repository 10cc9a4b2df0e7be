import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { atOwner } from "./at-owner";

type Deps = Pick<RunDeps, "store" | "runs">;

/** Switches step mode on or off for a run that goes on or waits; what waits already stays a question. */
export async function setStep(deps: Deps, row: RunRow, isOn: boolean): Promise<void> {
  await atOwner(deps, row, { kind: "set_step", body: { isOn } }, () => setStepHere(deps, row, isOn));
  row.options = { ...row.options, step: isOn };
}

/** The same for a run that no other process drives. */
export async function setStepHere({ store, runs }: Deps, { id }: RunRow, isOn: boolean): Promise<null> {
  await store.runs.setStep(id, isOn).catch((cause) => {
    throw isConflict(cause) ? ended() : cause;
  });
  const live = runs.get(id);
  if (live) live.row.options.step = isOn;
  return null;
}

const ended = () =>
  new HttpError(409, "run_ended", "step: this run has ended; switch step mode on with the next question.");
