import { readiness } from "@/lib/server/http/operations";
import { route } from "@/lib/server/http/route";

export const GET = route({}, async ({ deps }) => readiness(deps));
