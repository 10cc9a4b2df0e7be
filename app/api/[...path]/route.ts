import { answerUnbuilt } from "@/lib/server/contract/unbuilt";
import { route } from "@/lib/server/entry/route";

const handler = route({}, async ({ request }) => answerUnbuilt(request));

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
