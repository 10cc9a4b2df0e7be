import { z } from "zod";
import { anyObject, name, type Route, toolName } from "./fields";

const watched = z
  .array(z.strictObject({ server: name, uri: z.string().min(1).max(8_000) }))
  .min(1)
  .max(20);

/** `watch`: JSON, the resources of whose changes is told. */
export const WatchQuery = z.strictObject({
  watch: z
    .string()
    .max(200_000)
    .transform((text, context) => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is no JSON" });
        return z.NEVER;
      }
    })
    .pipe(watched),
});

const serverName = z.string().min(1).max(128);
const promptArguments = z.record(z.string().max(200), z.string().max(100_000));

export const PromptBody = z.strictObject({
  server: serverName,
  name: z.string().min(1).max(1_000),
  args: promptArguments.default({}),
});

export const SkillBody = z.strictObject({
  server: serverName,
  uri: z.string().min(1).max(8_000),
  file: z.string().min(1).max(8_000).optional(),
});
export const ResourceBody = z.strictObject({ server: serverName, uri: z.string().min(1).max(8_000) });

export const AppBody = z.strictObject({
  server: serverName,
  uri: z.string().startsWith("ui://", "must begin with ui://").max(8_000),
});

export const AppCallBody = z.strictObject({
  server: serverName,
  tool: toolName,
  args: anyObject.default({}),
  /** Hash of the definition that a person has said yes to, for this call. */
  approved: z.string().max(200).optional(),
  /** The yes is for every later call of this tool as well. */
  always: z.boolean().optional(),
});

export const CompleteBody = z.strictObject({
  server: serverName,
  ref: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("prompt"), name: z.string().min(1).max(1_000) }),
    z.strictObject({ type: z.literal("resource"), uri: z.string().min(1).max(8_000) }),
  ]),
  argument: z.strictObject({ name: z.string().min(1).max(200), value: z.string().max(10_000) }),
  context: promptArguments.optional(),
});

export const offerRoutes: Route[] = [
  ["get", "/api/mcp/prompts", "Prompts of all servers that are ready"],
  ["post", "/api/mcp/prompts/get", "A prompt with its arguments put in", PromptBody],
  ["get", "/api/mcp/resources", "Resources and templates of all servers that are ready"],
  ["get", "/api/mcp/resources/updates", "An event stream of changes of resources"],
  ["post", "/api/mcp/resources/read", "The content of a resource", ResourceBody],
  ["get", "/api/skills", "Skills of this machine and of the servers, as models are offered them"],
  ["get", "/api/mcp/skills", "Skills of all servers that are ready"],
  ["post", "/api/mcp/skills/read", "A file of a skill, verified against its entry", SkillBody],
  ["post", "/api/mcp/complete", "Completes an argument of a prompt or a template", CompleteBody],
  ["post", "/api/mcp/apps/open", "An app of a server, and the pages in which it may run", AppBody],
  [
    "post",
    "/api/mcp/apps/call",
    "A call of an app: its result, or that a person is to be asked",
    AppCallBody,
  ],
  ["post", "/api/mcp/apps/read", "A resource as its server sent it, for its app", ResourceBody],
];
