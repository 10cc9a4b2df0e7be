import { route } from "@/lib/server/route";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { findRun } from "@/lib/server/runs/run-item";
import { EmptyBody } from "@/lib/server/schemas";

export const POST = route({ body: EmptyBody }, async ({ deps, userId, params }) => ({
  runId: (await resumeRun(deps, await findRun(deps, userId, params.id))).id,
}));
