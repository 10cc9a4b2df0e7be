import { readiness } from "@/lib/server/operations";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps }) => readiness(deps));
