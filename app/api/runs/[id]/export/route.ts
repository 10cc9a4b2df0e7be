import { route } from "@/lib/server/entry/route";
import { findRun } from "@/lib/server/runs/run-item";
import { exportRun } from "@/lib/server/transfer/run-json";

export const GET = route(
  { audit: ({ params }) => ({ action: "data.exported_run", on: params.id }) },
  async ({ deps, userId, params }) => exportRun(deps, await findRun(deps, userId, params.id)),
);
