import { canonicalJson } from "@/lib/protocol/canonical-json";
import { type GatewayCall, keptMs } from "@/lib/protocol/gateway";
import { isConflict } from "@/lib/server/http/store-failure";
import type { LiveRun } from "@/lib/server/loop/live-run";
import { awaitedBy } from "@/lib/server/loop/live-runs";
import { continueRun } from "@/lib/server/runs/start-run";
import type { RunRow } from "@/lib/store/types";
import { openQuestions } from "./await-person";
import type { CallDeps } from "./begin-call";

/**
 * The run of the same call that waits although its program has left: the program has called again. It becomes `gateway`, with the id
 * of the first call; undefined where there is none.
 */
export async function findLeft(
  deps: CallDeps,
  conversationId: string | null,
  gateway: GatewayCall,
): Promise<{ row: RunRow; gateway: GatewayCall } | undefined> {
  if (conversationId === null) return undefined;
  const wanted = canonicalJson(gateway.call.args);
  for (const row of await deps.store.runs.waitingIn(conversationId)) {
    const left = row.options.gateway;
    if (!left || awaitedBy(deps.runs, row) || isOver(row, await answeredAt(deps, row))) continue;
    if (left.call.name !== gateway.call.name || canonicalJson(left.call.args) !== wanted) continue;
    return { row, gateway: { ...gateway, id: left.id, call: left.call, takenUpAt: Date.now() } };
  }
  return undefined;
}

/** Whoever answers it finds the program here again. What was answered while it was away goes on. */
export async function takeUp(
  deps: CallDeps,
  { row, gateway }: { row: RunRow; gateway: GatewayCall },
): Promise<LiveRun | RunRow | undefined> {
  try {
    await deps.store.runs.takeUp(row, gateway);
    const taken = { ...row, heldBy: deps.store.members.id, options: { ...row.options, gateway } };
    if ((await openQuestions(deps, row)).length > 0) return taken;
    const next = await continueRun(deps, taken, await deps.store.runs.answers(row.id));
    return deps.runs.get(next.id) ?? next;
  } catch (cause) {
    // Somebody else has taken it up, or stopped it.
    if (!isConflict(cause)) throw cause;
    return undefined;
  }
}

/** Whether nobody may take it up any more. */
export function isOver({ endedAt, options }: RunRow, answered: number): boolean {
  const { waitMs = 0, takenUpAt = 0 } = options.gateway ?? {};
  const leftAt = Math.max(endedAt ?? 0, takenUpAt) + waitMs;
  return Date.now() > Math.max(leftAt, answered) + keptMs;
}

/** When the last of its questions was answered; 0 while none was. */
export async function answeredAt({ store }: Pick<CallDeps, "store">, { id }: RunRow): Promise<number> {
  return Math.max(0, ...(await store.runs.answers(id)).map(({ at }) => at ?? 0));
}
