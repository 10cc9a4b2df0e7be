import { sendAttachment, sendAttachmentText } from "@/lib/server/attachments/send-attachment";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps, userId, params, request }) =>
  new URL(request.url).searchParams.get("as") === "text"
    ? sendAttachmentText(deps, userId, params.id)
    : sendAttachment(deps, userId, params.id),
);
