import { ExportAllQuery } from "@/lib/server/contract/exports";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { exportAll } from "@/lib/server/transfer/export-all";

export const GET = route(
  { audit: () => ({ action: "data.exported_all" }) },
  async ({ deps, userId, request }) => exportAll(deps, userId, readQuery(request, ExportAllQuery)),
);
