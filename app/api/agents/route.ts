import { listAgents } from "@/lib/server/agents/agents";
import { route } from "@/lib/server/entry/route";

export const GET = route({}, async ({ deps }) => listAgents(deps));
