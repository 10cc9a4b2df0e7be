import { sendAttachment } from "@/lib/server/attachments/attachments";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps, userId, params }) => sendAttachment(deps, userId, params.id));
