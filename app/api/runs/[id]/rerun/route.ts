import { RerunBody } from "@/lib/server/contract/tape";
import { json, route } from "@/lib/server/entry/route";
import { rerunRun } from "@/lib/server/runs/rerun-run";
import { findRun } from "@/lib/server/runs/run-item";

export const POST = route({ scope: "chat", body: RerunBody }, async ({ deps, userId, params, body }) => {
  const { id: runId, conversationId } = await rerunRun(deps, await findRun(deps, userId, params.id), body);
  return json({ runId, conversationId }, 202);
});
