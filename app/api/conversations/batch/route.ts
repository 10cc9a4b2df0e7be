import { BatchBody } from "@/lib/server/contract/conversations";
import { changeMany } from "@/lib/server/conversations/change-many";
import { route } from "@/lib/server/entry/route";

export const POST = route({ scope: "chat", body: BatchBody }, async ({ deps, userId, body }) =>
  changeMany(deps, userId, body),
);
