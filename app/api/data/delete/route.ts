import { DeleteEverything } from "@/lib/server/contract/settings";
import { deleteEverything } from "@/lib/server/conversations/delete-everything";
import { route } from "@/lib/server/entry/route";

export const POST = route({ body: DeleteEverything, access: "admin" }, async ({ deps }) =>
  deleteEverything(deps),
);
