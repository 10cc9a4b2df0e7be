import { CancelBody } from "@/lib/server/contract/chat";
import { route } from "@/lib/server/entry/route";
import { findRun } from "@/lib/server/runs/run-item";
import { cancelCall } from "@/lib/server/runs/stop-run";

export const POST = route({ scope: "chat", body: CancelBody }, async ({ deps, userId, params, body }) => {
  await cancelCall(deps, await findRun(deps, userId, params.id), body.callId);
});
