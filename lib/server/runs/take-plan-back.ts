import type { RunPlan } from "@/lib/agent/run-plan";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { readChain } from "@/lib/server/loop/chain";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { AnswerChunk, RunRow } from "@/lib/store/types";
import { atOwner } from "./at-owner";

/** Another process has answered or continued the run meanwhile: it is looked at again. */
const maxConflicts = 20;

/**
 * Ends the plan that holds for a run and those that continue it: from then on its calls are judged as without one. Calls that
 * were sent go on. A page that has not heard of the newest run names an older one.
 */
export async function takePlanBack(deps: RunDeps, row: RunRow): Promise<{ ok: true }> {
  const { commands } = deps.store;
  const driven = commands && !deps.runs.get(row.id) ? await newestOf(deps, row) : row;
  await atOwner(deps, driven, { kind: "take_plan_back", body: null }, () => takePlanBackHere(deps, row));
  return { ok: true };
}

/** The same for a run that no other process drives. */
export function takePlanBackHere(deps: RunDeps, row: RunRow): Promise<null> {
  return deps.turns.run(row.conversationId, async () => {
    for (let left = maxConflicts; ; left--)
      try {
        await takeBack(deps, await newestOf(deps, row));
        return null;
      } catch (cause) {
        if (!isConflict(cause) || left === 0) throw cause;
      }
  });
}

async function takeBack(deps: RunDeps, row: RunRow): Promise<void> {
  const live = deps.runs.get(row.id);
  if (live && !live.isEnding) {
    // Nothing is awaited in between, so that it is this run's plan and no other.
    if (await live.takePlanBack(toChunk(live.chain.plan))) return;
  } else if (live) await awaitEnd(live);
  const now = (await deps.store.runs.get(row.userId, row.id)) ?? row;
  if (now.status !== "waiting") throw now.status === "running" ? elsewhere() : ended();
  const kept = await deps.store.runs.answers(now.id);
  const { plan } = await readChain(deps, now);
  for (const answer of kept) plan.add(answer);
  await deps.store.runs.addAnswer(now.id, toChunk(plan), kept.length);
}

function toChunk({ current }: RunPlan): AnswerChunk {
  if (!current)
    throw new HttpError(409, "no_plan", "No plan holds for this answer; its calls ask as they are.");
  return { type: "answer", requestId: `take_back_${current.id}`, answer: { takesBack: current.id } };
}

async function newestOf(deps: RunDeps, row: RunRow): Promise<RunRow> {
  const answers = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  const byOrigin = new Map(answers.map((each) => [each.continues, each]));
  let newest = answers.find(({ id }) => id === row.id) ?? row;
  for (let next = byOrigin.get(newest.id); next; next = byOrigin.get(newest.id)) newest = next;
  return newest;
}

const ended = () =>
  new HttpError(
    409,
    "run_ended",
    "This answer has ended, so its plan lets nothing go. Take it back once it is resumed.",
  );

const elsewhere = () =>
  new HttpError(409, "run_active", "Another process is writing this answer; ask there, or stop the answer.");
