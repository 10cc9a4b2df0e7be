import { listAgents } from "@/lib/server/agents/agents";
import { route } from "@/lib/server/http/route";

export const GET = route({}, async ({ deps }) => listAgents(deps));
