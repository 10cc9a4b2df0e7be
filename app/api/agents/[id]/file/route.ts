import { deleteAgentFile, maxAgentBody, putAgentFile, showAgentFile } from "@/lib/server/agents/agent-files";
import { AgentFileBody, AgentFileQuery, AgentVersionQuery } from "@/lib/server/contract/agents";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, params }) => showAgentFile(deps, params.id));

export const PUT = route(
  { body: AgentFileBody, limit: maxAgentBody, access: "admin" },
  async ({ deps, params, request, body }) =>
    putAgentFile(deps, params.id, body, readQuery(request, AgentFileQuery).preview === "true"),
);

export const DELETE = route({ access: "admin" }, async ({ deps, params, request }) =>
  deleteAgentFile(deps, params.id, readQuery(request, AgentVersionQuery).version),
);
