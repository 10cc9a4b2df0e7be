import { uploadAttachment } from "@/lib/server/attachments/attachments";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ scope: "chat" }, async ({ deps, userId, request }) =>
  json(await uploadAttachment(deps, userId, request), 201),
);
