import { listPeople } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { PageQuery } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({ access: "admin" }, async ({ deps, request }) =>
  listPeople(requireAccounts(deps), readQuery(request, PageQuery)),
);
