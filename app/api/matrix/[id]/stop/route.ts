import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { stopMatrix } from "@/lib/server/matrix/change-matrix";
import { findMatrix } from "@/lib/server/matrix/read-matrix";

export const POST = route({ scope: "chat", body: EmptyBody }, async ({ deps, userId, params }) =>
  stopMatrix(deps, await findMatrix(deps, userId, params.id)),
);
