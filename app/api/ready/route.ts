import { readiness } from "@/lib/server/entry/readiness";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps }) => readiness(deps));
