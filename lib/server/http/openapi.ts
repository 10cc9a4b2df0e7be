import { z } from "zod";
import { version } from "@/lib/server/version";
import * as mcp from "./mcp-schemas";
import * as schemas from "./schemas";
import * as settings from "./settings-schemas";

type Route = [method: string, path: string, summary: string, body?: z.ZodType];

const routes: Route[] = [
  ["get", "/api/health", "The process is up."],
  ["get", "/api/ready", "Work can be taken: database and drain state."],
  ["delete", "/api/session", "Signs this browser out."],
  [
    "post",
    "/api/chat",
    "Stores a message, starts its run and streams it (text/event-stream).",
    schemas.ChatBody,
  ],
  ["get", "/api/runs/{id}", "A run with its loops, timings and open questions."],
  ["get", "/api/runs/{id}/stream", "Events after Last-Event-ID or ?after=, then live ones, then `end`."],
  ["get", "/api/runs/{id}/events", "The whole log as JSON lines."],
  [
    "post",
    "/api/runs/{id}/cancel",
    "Gives up one call that is under way; the run goes on.",
    schemas.CancelBody,
  ],
  ["post", "/api/runs/{id}/stop", "Ends the run, its model request and its MCP calls.", schemas.EmptyBody],
  ["post", "/api/runs/{id}/answer", "Answers a question of the run.", schemas.AnswerBody],
  [
    "post",
    "/api/runs/{id}/resume",
    "Continues an interrupted, stopped or limit-ended run.",
    schemas.EmptyBody,
  ],
  ["get", "/api/conversations", "The conversations, newest first."],
  ["post", "/api/conversations", "An empty conversation.", schemas.ConversationBody],
  ["get", "/api/conversations/{id}", "The newest messages of the current branch and their runs."],
  ["patch", "/api/conversations/{id}", "Title, pin, current branch.", schemas.ConversationPatch],
  ["delete", "/api/conversations/{id}", "Deletes it with its runs and links."],
  ["post", "/api/conversations/{id}/shares", "A link to a frozen snapshot.", schemas.ShareBody],
  ["get", "/api/shares", "The links."],
  ["patch", "/api/shares/{id}", "Brings a link up to date or changes its end.", schemas.SharePatch],
  ["delete", "/api/shares/{id}", "Revokes a link."],
  ["get", "/api/share/{token}", "The snapshot behind a link."],
  ["post", "/api/share/{token}/fork", "Copies a shared conversation into one's own.", schemas.EmptyBody],
  ["get", "/api/share/{token}/attachments/{id}", "A file that stands in the snapshot behind a link."],
  [
    "post",
    "/api/attachments",
    "Stores the raw body as a file that messages can name; X-Filename says how it is called.",
  ],
  ["get", "/api/attachments/{id}", "The bytes of a file."],
  ["get", "/api/models", "What can be chosen."],
  ["get", "/api/agents", "Workflow agents."],
  ["get", "/api/settings", "Rules and defaults."],
  ["patch", "/api/settings", "Changes rules and defaults.", settings.SettingsPatch],
  [
    "post",
    "/api/providers/{id}/test",
    "Asks a provider for its models; changes nothing.",
    settings.ProviderTestRequest,
  ],
  ["get", "/api/mcp/servers", "MCP servers with live status and tools."],
  ["post", "/api/mcp/servers", "Adds servers; ?preview=true only shows what was understood.", mcp.ServerBody],
  ["get", "/api/mcp/servers/{name}", "One server."],
  ["patch", "/api/mcp/servers/{name}", "Changes an entry, switches it or its tools.", mcp.ServerPatch],
  ["delete", "/api/mcp/servers/{name}", "Removes an entry."],
  ["get", "/api/mcp/servers/{name}/definitions", "Definitions of its tools: accepted, present and earlier."],
  ["post", "/api/mcp/servers/{name}/approve", "Approves exactly the form with this hash.", mcp.ApproveBody],
  ["post", "/api/mcp/servers/{name}/restart", "Connects anew.", schemas.EmptyBody],
  [
    "post",
    "/api/mcp/servers/{name}/login",
    "Begins a sign-in: `{url, host}` of its page.",
    schemas.EmptyBody,
  ],
  ["post", "/api/mcp/servers/{name}/logout", "Forgets the tokens.", schemas.EmptyBody],
  [
    "post",
    "/api/mcp/servers/{name}/sleep",
    "Lets a local server rest until its next use.",
    schemas.EmptyBody,
  ],
  ["patch", "/api/mcp/servers/{name}/secrets", "Stores and deletes secrets of a server.", mcp.SecretsPatch],
  ["get", "/api/mcp/export", "The file of the servers, with references in place of secrets."],
  ["get", "/api/mcp/file", "The file of the servers as it may be shown and edited."],
  [
    "put",
    "/api/mcp/file",
    "Puts a text in the place of the file; ?preview=true only says what would change.",
    mcp.FileBody,
  ],
  ["get", "/api/mcp/presets", "Named sets of servers."],
  ["post", "/api/mcp/presets", "Keeps a set of servers under a name.", mcp.PresetBody],
  [
    "patch",
    "/api/mcp/presets/{id}",
    "Renames a set, changes it, makes it the default of new conversations.",
    mcp.PresetPatch,
  ],
  ["delete", "/api/mcp/presets/{id}", "Forgets a set."],
  ["get", "/api/mcp/prompts", "Prompts of all servers that are ready."],
  ["post", "/api/mcp/prompts/get", "A prompt with its arguments put in.", mcp.PromptBody],
  ["get", "/api/mcp/resources", "Resources and templates of all servers that are ready."],
  ["get", "/api/mcp/resources/updates", "An event stream of changes of resources."],
  ["post", "/api/mcp/resources/read", "The content of a resource.", mcp.ResourceBody],
  ["get", "/api/mcp/skills", "Skills of all servers that are ready."],
  ["post", "/api/mcp/skills/read", "A file of a skill, verified against its entry.", mcp.SkillBody],
  ["post", "/api/mcp/complete", "Completes an argument of a prompt or a template.", mcp.CompleteBody],
  ["post", "/api/mcp/apps/open", "An app of a server, and the pages in which it may run.", mcp.AppBody],
  [
    "post",
    "/api/mcp/apps/call",
    "A call of an app: its result, or that a person is to be asked.",
    mcp.AppCallBody,
  ],
  ["post", "/api/mcp/apps/read", "A resource as its server sent it, for its app.", mcp.ResourceBody],
  ["get", "/api/mcp/oauth/callback", "Takes an authorization response; redirects to the settings."],
  ["get", "/api/mcp/oauth/client", "The client metadata document (CIMD)."],
  ["get", "/api/mcp/servers/{name}/icon", "A picture of the server."],
  [
    "get",
    "/api/mcp/servers/{name}/logs",
    "stderr and protocol log; as text/event-stream it goes on with new lines.",
  ],
  ["get", "/api/mcp/servers/{name}/requests", "Arguments that are kept to try tools with."],
  [
    "post",
    "/api/mcp/servers/{name}/requests",
    "Keeps arguments of a tool under a name.",
    mcp.SavedRequestBody,
  ],
  ["delete", "/api/mcp/servers/{name}/requests/{id}", "Forgets such arguments."],
  ["post", "/api/mcp/servers/{name}/tools/{tool}/call", "Tries a tool by hand.", mcp.ToolCallBody],
];

/** The OpenAPI 3.1 document of what is built, its bodies generated from the schemas that check them. */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [method, path, summary, body] of routes) {
    paths[path] ??= {};
    paths[path][method] = {
      summary,
      parameters: parameters(path),
      ...(body && {
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) },
          },
        },
      }),
      responses: { default: { description: 'Errors are {"error":{"code","message","details"?}}.' } },
    };
  }
  return { openapi: "3.1.0", info: { title: "Meguri", version }, paths };
}

function parameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}
