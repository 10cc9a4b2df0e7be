import { z } from "zod";
import { agentNamePattern, ownToolNames } from "@/lib/protocol/agents";
import { confirmDeletion, type Retention } from "@/lib/protocol/data";
import type { StoredSettings, ToolRule } from "@/lib/protocol/settings";
import type { Budget } from "@/lib/protocol/usage";
import { providerTable } from "@/lib/providers/provider-table";
import {
  address,
  apiKey,
  endpointFields,
  findTwice,
  headers,
  maxEndpoints,
} from "@/lib/server/endpoint-shape";
import { instructions, knobs, modelId, type Route } from "./fields";

/** Of a run and those that continue it. */
export const budget = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000).optional(),
    toolCalls: z.int().min(1).max(10_000).optional(),
    cost: z.number().positive().max(100_000).optional(),
    timeMs: z.int().min(1_000).max(86_400_000).optional(),
  })
  .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
    message: "name at least one of tokens, toolCalls, cost and timeMs",
  })
  .transform(
    ({ tokens, toolCalls, cost, timeMs }): Budget => ({
      ...(tokens !== undefined && { tokens }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(cost !== undefined && { cost }),
      ...(timeMs !== undefined && { timeMs }),
    }),
  );

const rule = z
  .strictObject({
    pattern: z
      .string()
      .regex(/^mcp:[^:]+:.+$/, 'must look like "mcp:<server>:<tool>"')
      .max(500),
    effect: z.enum(["allow", "ask", "plan", "deny"]),
    when: z.enum(["destructive", "openWorld"]).optional(),
    from: z.string().min(1).max(200).optional(),
  })
  .refine(({ from, effect }) => from === undefined || effect !== "plan", {
    path: ["effect"],
    error: "must be allow, ask or deny in a rule with from: a plan is about calls",
  })
  .transform(
    ({ pattern, effect, when, from }): ToolRule => ({
      ...{ pattern, effect },
      ...(when && { when }),
      ...(from && { from }),
    }),
  );

export const ProviderAccess = z.strictObject({
  apiKey: apiKey.optional(),
  baseURL: address.nullable().optional(),
});

/**
 * `privateHost`: the person means this private `host:port`, the one of `baseURL`, for this one test. `headers`, `models`
 * and no key at all are for endpoints.
 */
export const ProviderTestRequest = z.strictObject({
  apiKey: apiKey.nullable().optional(),
  baseURL: address.nullable().optional(),
  headers: headers.optional(),
  models: endpointFields.models,
  privateHost: z.string().max(300).optional(),
});

/** Absent secrets stay as they are while the address does; a null key and no headers remove them. */
const endpoint = z.strictObject({
  ...endpointFields,
  apiKey: apiKey.nullable().optional(),
  headers: headers.optional(),
});

export type EndpointPatch = z.output<typeof endpoint>;

const endpoints = z
  .array(endpoint)
  .max(maxEndpoints)
  .superRefine((list, context) => {
    const at = findTwice(list);
    if (at >= 0)
      context.addIssue({
        code: "custom",
        path: [at, "id"],
        message: "is the id of another endpoint of this list; give each its own",
      });
  });

/** A million tokens for more than this is a typing error. */
const dollars = z.number().min(0).max(10_000);

const price = z.strictObject({ input: dollars, cachedInput: dollars.optional(), output: dollars });

const waitMs = z.int().min(1_000).max(3_600_000);

const limits = z.strictObject({
  maxIterations: z.int().min(1).max(100).optional(),
  timeoutMs: waitMs.optional(),
  firstTokenMs: waitMs.optional(),
  betweenTokensMs: waitMs.optional(),
  toolTimeoutMs: waitMs.optional(),
  toolExecution: z.enum(["parallel", "sequential"]).optional(),
  budget: budget.optional(),
});

/** What the options of a run may say that came with a file, as far as it decides how long the run goes on and what it costs. */
export const ImportedOptions = z.looseObject({
  ...limits.shape,
  effort: knobs.effort.optional(),
  temperature: knobs.temperature.optional(),
  maxOutputTokens: knobs.maxOutputTokens.optional(),
});

export const retentionDays = z.int().min(1).max(36_500);
/** Less than 10 MB is what a new database takes. */
const retentionBytes = z.int().min(10_000_000).max(1_000_000_000_000_000);

const toRetention = ({ days, bytes }: { [Limit in keyof Retention]: number | undefined }): Retention => ({
  ...(days !== undefined && { days }),
  ...(bytes !== undefined && { bytes }),
});

const retention = z
  .strictObject({ days: retentionDays.optional(), bytes: retentionBytes.optional() })
  .transform(toRetention);

/** A retention that is thought of. */
export const UsageQuery = z
  .strictObject({
    days: z.coerce.number().pipe(retentionDays).optional(),
    bytes: z.coerce.number().pipe(retentionBytes).optional(),
  })
  .transform(toRetention);

/** The words themselves, in every language: what a program sends by mistake is something else. */
export const DeleteEverything = z.strictObject({
  confirm: z.literal(confirmDeletion, { error: 'must be "delete everything"; nothing was deleted' }),
});

/** A field that is null is taken back. */
const traits = z.strictObject({
  contextWindow: z.int().min(1_000).max(100_000_000).nullish(),
  maxOutputTokens: knobs.maxOutputTokens.nullish(),
  effort: knobs.effort.nullish(),
  temperature: knobs.temperature.nullish(),
  toolCalls: z.enum(["own", "json"]).nullish(),
  images: z.boolean().nullish(),
});

const agentTools = z
  .array(
    z
      .string()
      .regex(agentNamePattern, "must begin with a letter and hold letters, digits, _ and - only, at most 40")
      .refine((name) => !ownToolNames.includes(name), {
        error: "is the name of one of Meguri's own tools; give the agent another one",
      }),
  )
  .max(100)
  .transform((names) => [...new Set(names)]);

const stored = {
  rules: z.array(rule).max(1000),
  defaultModel: z.string().max(300).nullable(),
  limits,
  retention,
  instructions,
  titles: z.enum(["model", "words"]),
  recordWire: z.boolean(),
  displayName: z.string().trim().max(80),
  agentTools,
} satisfies Record<keyof StoredSettings, z.ZodType>;

/** What holds as long as a person has not set it. */
export const unsetSettings: StoredSettings = {
  ...{ rules: [], defaultModel: null, limits: {}, retention: {} },
  ...{ instructions: "", titles: "model", recordWire: false, displayName: "", agentTools: [] },
};

export const SettingsPatch = z.strictObject({
  ...z.strictObject(stored).partial().shape,
  /** null removes what was entered; the environment counts again. */
  providers: z.partialRecord(z.enum(providerTable.map(({ id }) => id)), ProviderAccess.nullable()).optional(),
  /** Replaces the list whole. */
  endpoints: endpoints.optional(),
  /** What is said of each model; null takes it back. */
  models: z.record(modelId, traits.nullable()).optional(),
  prices: z
    .record(modelId, price)
    .refine((table) => Object.keys(table).length <= 500, "may have at most 500 prices")
    .optional(),
});

export const settingsRoutes: Route[] = [
  ["get", "/api/models", "What can be chosen"],
  ["get", "/api/settings", "Rules and defaults"],
  ["patch", "/api/settings", "Changes rules and defaults", SettingsPatch],
  ["get", "/api/data/usage", "What takes space, by kind"],
  ["post", "/api/data/delete", "Deletes everything that was written, finally", DeleteEverything],
  [
    "post",
    "/api/providers/{id}/test",
    "Asks a provider for its models; changes nothing",
    ProviderTestRequest,
  ],
];
