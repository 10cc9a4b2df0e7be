import { ForkBody } from "@/lib/server/contract/fork";
import { json, route } from "@/lib/server/entry/route";
import { forkRun } from "@/lib/server/runs/fork-run";
import { findRun } from "@/lib/server/runs/run-item";

export const POST = route({ scope: "chat", body: ForkBody }, async ({ deps, userId, params, body }) => {
  const { id: runId, conversationId } = await forkRun(deps, await findRun(deps, userId, params.id), body);
  return json({ runId, conversationId }, 202);
});
