import { answerUnbuilt } from "@/lib/server/contract/unbuilt";
import { route } from "@/lib/server/entry/route";

/** Or it would be taken for a conversation of this name, to which nobody posts. */
export const POST = route({}, async ({ request }) => answerUnbuilt(request));
