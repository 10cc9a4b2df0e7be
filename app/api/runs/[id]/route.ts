import { RunPatch } from "@/lib/server/contract/chat";
import { route } from "@/lib/server/entry/route";
import { findRun, toRunDetail } from "@/lib/server/runs/run-item";
import { setStep } from "@/lib/server/runs/set-step";

export const GET = route({}, async ({ deps, userId, params }) =>
  toRunDetail(deps, await findRun(deps, userId, params.id)),
);

export const PATCH = route({ scope: "chat", body: RunPatch }, async ({ deps, userId, params, body }) => {
  const row = await findRun(deps, userId, params.id);
  await setStep(deps, row, body.step);
  return toRunDetail(deps, row);
});
