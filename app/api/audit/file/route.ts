import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { auditFile } from "@/lib/server/audit/list-audit";
import { AuditFileQuery } from "@/lib/server/contract/audit";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({ access: "admin" }, async ({ deps, request }) =>
  auditFile(requireAccounts(deps), readQuery(request, AuditFileQuery)),
);
