import { deleteAgentFile, maxAgentBody, putAgentFile, showAgentFile } from "@/lib/server/agents/agent-files";
import { AgentFileBody, AgentFileQuery, AgentVersionQuery } from "@/lib/server/contract/agents";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";

export const GET = route({}, async ({ deps, params }) => showAgentFile(deps, params.id));

export const PUT = route(
  {
    body: AgentFileBody,
    limit: maxAgentBody,
    access: "admin",
    audit: ({ params, request }) =>
      isPreview(request) ? undefined : { action: "setup.agent_changed", on: params.id },
  },
  async ({ deps, params, request, body }) => putAgentFile(deps, params.id, body, isPreview(request)),
);

export const DELETE = route(
  { access: "admin", audit: ({ params }) => ({ action: "setup.agent_deleted", on: params.id }) },
  async ({ deps, params, request }) =>
    deleteAgentFile(deps, params.id, readQuery(request, AgentVersionQuery).version),
);

const isPreview = (request: Request): boolean => readQuery(request, AgentFileQuery).preview === "true";
