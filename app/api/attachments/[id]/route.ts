import { sendAttachment, sendAttachmentText } from "@/lib/server/attachments/attachments";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  new URL(request.url).searchParams.get("as") === "text"
    ? sendAttachmentText(deps, userId, params.id)
    : sendAttachment(deps, userId, params.id),
);
