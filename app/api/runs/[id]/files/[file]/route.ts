import { route } from "@/lib/server/entry/route";
import { readRunFile } from "@/lib/server/runs/run-file";
import { findRun } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params }) =>
  readRunFile(deps, await findRun(deps, userId, params.id), params.file),
);
