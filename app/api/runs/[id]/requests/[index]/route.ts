import { route } from "@/lib/server/entry/route";
import { readRequest } from "@/lib/server/runs/read-request";
import { findRun } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params }) =>
  readRequest(deps, await findRun(deps, userId, params.id), params.index),
);
