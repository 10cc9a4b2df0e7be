import { route } from "@/lib/server/route";
import { answerUnbuilt } from "@/lib/server/unbuilt";

const handler = route({}, async ({ request }) => answerUnbuilt(request));

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
