import { z } from "zod";
import { maxConfigCharacters } from "@/lib/protocol/mcp-file";
import { hasInvisible } from "@/lib/protocol/show-invisible";
import { anyObject } from "./any-object";
import { notYet } from "./not-yet";

const name = z.string().min(1).max(200);
/** As long as a server may call it. */
const toolName = z.string().min(1).max(1_024);
const object = z.record(z.string(), z.unknown());

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

/** `encrypt`: secrets in clear are stored encrypted, and a reference stands in the file; `secrets`, what was filled in. */
const secretName = z.string().regex(/^[\w-]{1,64}$/, "a secret is called by letters, digits, - and _");
const secretValue = z.string().max(20_000);
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

/** By name; null deletes. */
export const SecretsPatch = z.record(secretName, secretValue.min(1, "must not be empty").nullable());

export const ApproveBody = z.strictObject({
  hash: z.string().min(1).max(200),
  sends: z.array(z.string().max(1_000)).max(1_000).optional(),
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
