import { maxQueuedBytes, StopBody } from "@/lib/server/contract/chat";
import { stopAndAsk } from "@/lib/server/conversations/queued-messages";
import { route } from "@/lib/server/entry/route";
import { findRun, toRunItem } from "@/lib/server/runs/run-item";
import { stopRun } from "@/lib/server/runs/stop-run";

export const POST = route(
  { scope: "chat", body: StopBody, limit: maxQueuedBytes },
  async ({ deps, userId, params, body }) => {
    const run = await findRun(deps, userId, params.id);
    if (body.then) return stopAndAsk(deps, run, body.then);
    await stopRun(deps, run);
    return toRunItem(deps, await findRun(deps, userId, params.id));
  },
);
