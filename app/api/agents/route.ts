import { route } from "@/lib/server/route";

/** Workflow agents come with a later version; until then there is none to choose. */
export const GET = route({}, async () => ({ items: [], nextCursor: null }));
