import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { findRun } from "@/lib/server/runs/run-item";

export const POST = route({ scope: "chat", body: EmptyBody }, async ({ deps, userId, params }) => ({
  runId: (await resumeRun(deps, await findRun(deps, userId, params.id))).id,
}));
