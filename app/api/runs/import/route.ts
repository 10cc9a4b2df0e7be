import { json, route } from "@/lib/server/entry/route";
import { importRun } from "@/lib/server/transfer/import-run";

export const POST = route(
  { scope: "chat", audit: () => ({ action: "data.imported" }) },
  async ({ deps, userId, request }) => {
    const { isNew, ...ids } = await importRun(deps, userId, request);
    return json(ids, isNew ? 201 : 200);
  },
);
