import { DeleteEverything } from "@/lib/server/contract/settings";
import { deleteEverything } from "@/lib/server/conversations/delete-everything";
import { route } from "@/lib/server/entry/route";

export const POST = route(
  { body: DeleteEverything, access: "admin", audit: () => ({ action: "data.deleted_everything" }) },
  async ({ deps }) => deleteEverything(deps),
);
