import { setTimeout as sleep } from "node:timers/promises";
import type { CallFollower, McpAnswer } from "@/lib/mcp/gateway/offer";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { type GatewayCall, keptMs } from "@/lib/protocol/gateway";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { publicUrl } from "@/lib/server/env";
import type { LiveRun } from "@/lib/server/loop/live-run";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";
import { askClient, type ClientAbilities } from "./ask-client";
import type { CallDeps } from "./begin-call";
import type { CallOutcome } from "./call-outcome";
import { errorAnswer } from "./to-answer";

/** How often the run is looked at, for what others have done to it, and how often the client is told that it waits. */
const [lookMs, tellMs] = [1_000, 10_000];

export interface AwaitedAnswer {
  gateway: GatewayCall;
  outcome: CallOutcome;
  follow: CallFollower;
  abilities: ClientAbilities;
}

/**
 * Waits for what a person says to the questions of a run. Gives the run that goes on from it, the same run where its wait is over, or
 * what the program is told: that it has waited long enough, whereupon the questions stay open.
 */
export async function awaitPerson(
  deps: CallDeps,
  { gateway, outcome, follow, abilities }: AwaitedAnswer,
  row: RunRow,
): Promise<LiveRun | RunRow | McpAnswer> {
  const questions = await openQuestions(deps, row);
  if (gateway.onApproval === "fail") return failAtOnce(deps, row, questions);
  const page = `${publicUrl(deps.env)}/runs/${row.id}`;
  const withdraw = askClient(deps, { row, questions, abilities, follow });
  const { signal } = follow;
  try {
    const end = Date.now() + gateway.waitMs;
    for (let told = 0; Date.now() < end && !signal.aborted && !follow.gone.aborted; ) {
      if (Date.now() - told >= tellMs) {
        told = Date.now();
        follow.onProgress({ progress: 0, message: `Waiting for you in Meguri: ${page}` });
      }
      const pause = sleep(Math.min(lookMs, end - Date.now()), undefined, { signal }).catch(() => undefined);
      const next = await Promise.race([outcome.next(), pause]);
      if (next) return next;
      const now = await deps.store.runs.get(row.userId, row.id);
      if (now?.status !== "waiting") return now ?? errorAnswer("The call was deleted in Meguri.");
    }
  } finally {
    withdraw();
  }
  return errorAnswer(
    `Not run yet: nobody has answered in Meguri whether it may. The question stays open for ${keptMs / 60_000} minutes at ${page}; call the tool again with the same arguments to go on.`,
  );
}

/** What a run that waits still asks. */
export async function openQuestions(
  deps: Pick<CallDeps, "store">,
  { id }: Pick<RunRow, "id">,
): Promise<PendingRequest[]> {
  const log = (await readWholeLog(deps, id)).map(({ data }) => data);
  return pendingRequests([...log, ...(await deps.store.runs.answers(id))]);
}

async function failAtOnce(
  deps: CallDeps,
  row: RunRow,
  [question]: readonly PendingRequest[],
): Promise<McpAnswer> {
  await stopRun(deps, row);
  const asker = question?.type === "input_request" ? question.server : "Meguri";
  return errorAnswer(
    `Not run to its end: ${asker} asks a person for something, and the token of this program says that nobody is waited for.`,
  );
}
