import { route } from "@/lib/server/entry/route";
import { streamRunFrom } from "@/lib/server/runs/read-run";
import { findRun } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  streamRunFrom(deps, await findRun(deps, userId, params.id), request),
);
