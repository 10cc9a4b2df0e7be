import { MatrixBody } from "@/lib/server/contract/matrix";
import { json, route } from "@/lib/server/entry/route";
import { createMatrix } from "@/lib/server/matrix/create-matrix";

export const POST = route({ scope: "chat", body: MatrixBody }, async ({ deps, userId, body }) =>
  json({ id: await createMatrix(deps, userId, body) }, 202),
);
