import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { listAudit } from "@/lib/server/audit/list-audit";
import { AuditQuery } from "@/lib/server/contract/audit";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({ access: "admin" }, async ({ deps, request }) =>
  listAudit(requireAccounts(deps), readQuery(request, AuditQuery)),
);
