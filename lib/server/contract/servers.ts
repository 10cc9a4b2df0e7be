import { z } from "zod";
import { maxConfigCharacters } from "@/lib/protocol/mcp-file";
import { hasInvisible } from "@/lib/protocol/show-invisible";
import { anyObject, EmptyBody, id, name, notYet, object, type Route, toolName } from "./fields";

const secretName = z.string().regex(/^[\w-]{1,64}$/, "a secret is called by letters, digits, - and _");
const secretValue = z.string().max(20_000);
/** `encrypt`: secrets in clear are stored encrypted, and a reference is left in the file; `secrets`: what a person filled in. */
const adding = {
  encrypt: z.boolean().optional(),
  secrets: z.record(name, z.record(secretName, secretValue)).optional(),
  only: z.array(name).max(200).optional(),
};

/** `{name, config}` or a whole pasted file; which of the two is seen by its fields. */
export const ServerBody = z.union([
  z.strictObject({ name, config: object, ...adding }),
  z.strictObject({ text: z.string().max(maxConfigCharacters), ...adding }),
  object.refine((file) => typeof file.name !== "string" && typeof file.text !== "string", {
    message: "send name and config, text, or a whole file, and nothing beside",
  }),
]);

const definition = z.strictObject({ tool: toolName, hash: z.string().max(200) });

const areSwitches = (tools: Record<string, unknown>) =>
  Object.entries(tools).every(([name, on]) => name.length <= 1_024 && typeof on === "boolean");

export const ServerPatch = z.strictObject({
  config: object.optional(),
  enabled: z.boolean().optional(),
  tools: anyObject
    .refine(areSwitches, "must say true or false for each tool")
    .meta({ type: "object", additionalProperties: { type: "boolean" } })
    .optional(),
  encrypt: z.boolean().optional(),
  deferred: z.boolean().optional(),
  acceptDefinition: definition.optional(),
  acceptDefinitions: z.array(definition).max(10_000).optional(),
  blockDefinition: definition.optional(),
  rules: notYet("rules"),
});

/** Of one server at once. */
const maxSecrets = 100;

/** By name; null deletes. */
export const SecretsPatch = z
  .record(secretName, secretValue.min(1, "must not be empty").nullable())
  .refine((changes) => Object.keys(changes).length <= maxSecrets, `may name at most ${maxSecrets} secrets`);

export const ApproveBody = z.strictObject({
  hash: z.string().min(1).max(200),
  sends: z.array(z.string().max(1_000)).max(1_000).optional(),
});

export const SavedRequestBody = z.strictObject({
  tool: toolName,
  name: z.string().trim().min(1).max(80),
  args: anyObject.refine(
    (args) => JSON.stringify(args).length <= 20_000,
    "may have at most 20000 characters",
  ),
});

const presetName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(60)
  .regex(/^\P{Cc}*$/u, "must not hold control characters")
  .refine((text) => !hasInvisible(text), "must not hold characters that cannot be seen");
const presetServers = z.array(name).max(100);

export const PresetBody = z.strictObject({
  name: presetName,
  servers: presetServers,
  default: z.boolean().default(false),
});

export const PresetPatch = z.strictObject({
  name: presetName.optional(),
  servers: presetServers.optional(),
  default: z.boolean().optional(),
});

/** A text that is too long is told so by those who read it. */
export const FileBody = z.strictObject({ text: z.string(), version: z.string().max(100) });

export const FileQuery = z.strictObject({ preview: z.enum(["true", "false"]).optional() });

export const ToolCallBody = z.strictObject({ args: anyObject.default({}) });

/** The person comes back to this conversation. */
export const LoginBody = z.strictObject({ conversationId: id.optional() });

export const serverRoutes: Route[] = [
  ["get", "/api/mcp/servers", "MCP servers with live status and tools"],
  ["post", "/api/mcp/servers", "Adds servers; ?preview=true only shows what was understood", ServerBody],
  ["get", "/api/mcp/servers/{name}", "One server"],
  ["patch", "/api/mcp/servers/{name}", "Changes an entry, switches it or its tools", ServerPatch],
  ["delete", "/api/mcp/servers/{name}", "Removes an entry"],
  ["get", "/api/mcp/servers/{name}/definitions", "Definitions of its tools: accepted, present and earlier"],
  ["post", "/api/mcp/servers/{name}/approve", "Approves exactly the form with this hash", ApproveBody],
  ["post", "/api/mcp/servers/{name}/restart", "Connects anew", EmptyBody],
  ["post", "/api/mcp/servers/{name}/login", "Begins a sign-in: `{url, host}` of its page", LoginBody],
  ["post", "/api/mcp/servers/{name}/logout", "Forgets the tokens", EmptyBody],
  ["post", "/api/mcp/servers/{name}/sleep", "Lets a local server rest until its next use", EmptyBody],
  ["patch", "/api/mcp/servers/{name}/secrets", "Stores and deletes secrets of a server", SecretsPatch],
  ["get", "/api/mcp/export", "The file of the servers, with references in place of secrets"],
  ["get", "/api/mcp/file", "The file of the servers as it may be shown and edited"],
  [
    "put",
    "/api/mcp/file",
    "Puts a text in the place of the file; ?preview=true only says what would change",
    FileBody,
  ],
  ["get", "/api/mcp/presets", "Named sets of servers"],
  ["post", "/api/mcp/presets", "Keeps a set of servers under a name", PresetBody],
  [
    "patch",
    "/api/mcp/presets/{id}",
    "Renames a set, changes it, makes it the default of new conversations",
    PresetPatch,
  ],
  ["delete", "/api/mcp/presets/{id}", "Forgets a set"],
  ["get", "/api/mcp/oauth/callback", "Takes an authorization response; redirects to the settings"],
  ["get", "/api/mcp/oauth/client", "The client metadata document (CIMD)"],
  ["get", "/api/mcp/servers/{name}/icon", "A picture of the server"],
  [
    "get",
    "/api/mcp/servers/{name}/logs",
    "stderr and protocol log; as text/event-stream it goes on with new lines",
  ],
  ["get", "/api/mcp/servers/{name}/requests", "Arguments that are kept to try tools with"],
  ["post", "/api/mcp/servers/{name}/requests", "Keeps arguments of a tool under a name", SavedRequestBody],
  ["delete", "/api/mcp/servers/{name}/requests/{id}", "Forgets such arguments"],
  ["post", "/api/mcp/servers/{name}/tools/{tool}/call", "Tries a tool by hand", ToolCallBody],
];
