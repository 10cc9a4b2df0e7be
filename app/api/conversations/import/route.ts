import { route } from "@/lib/server/route";
import { answerUnbuilt } from "@/lib/server/unbuilt";

/** Or it would be taken for a conversation of this name, to which nobody posts. */
export const POST = route({}, async ({ request }) => answerUnbuilt(request));
