import { MatrixPatch } from "@/lib/server/contract/matrix";
import { route } from "@/lib/server/entry/route";
import { changeBudget } from "@/lib/server/matrix/change-matrix";
import { findMatrix, readMatrix } from "@/lib/server/matrix/read-matrix";

export const GET = route({}, async ({ deps, userId, params }) =>
  readMatrix(deps, await findMatrix(deps, userId, params.id)),
);

export const PATCH = route({ scope: "chat", body: MatrixPatch }, async ({ deps, userId, params, body }) =>
  changeBudget(deps, await findMatrix(deps, userId, params.id), body.budget),
);
