import { z } from "zod";
import { assistantLimits, isIcon } from "@/lib/protocol/assistants";
import { deferred, servers } from "./conversations";
import { instructions, knobs, line, modelId, name, type Route, visible } from "./fields";

const fields = {
  name: line(assistantLimits.name).refine((text) => text !== "", "must not be empty"),
  icon: line(assistantLimits.icon).refine(isIcon, "must be one letter or one emoji"),
  description: line(assistantLimits.description),
  instructions: visible(instructions),
  model: modelId,
  servers,
  deferred,
  agent: name,
  examples: z
    .array(line(assistantLimits.example).refine((text) => text !== "", "must not be empty"))
    .max(assistantLimits.examples),
};

export const AssistantBody = z.strictObject({
  name: fields.name,
  icon: fields.icon.optional(),
  description: fields.description.default(""),
  instructions: fields.instructions.default(""),
  model: fields.model.optional(),
  effort: knobs.effort.optional(),
  servers: fields.servers.optional(),
  deferred: fields.deferred.optional(),
  agent: fields.agent.optional(),
  examples: fields.examples.optional(),
});

/** null takes back what an assistant need not have. */
export const AssistantPatch = z.strictObject({
  name: fields.name.optional(),
  icon: fields.icon.optional(),
  description: fields.description.optional(),
  instructions: fields.instructions.optional(),
  model: fields.model.nullable().optional(),
  effort: knobs.effort.nullable().optional(),
  servers: fields.servers.nullable().optional(),
  deferred: fields.deferred.nullable().optional(),
  agent: fields.agent.nullable().optional(),
  examples: fields.examples.nullable().optional(),
});

export const assistantRoutes: Route[] = [
  ["get", "/api/assistants", "The assistants, newest first"],
  ["post", "/api/assistants", "Makes an assistant", AssistantBody],
  ["get", "/api/assistants/{id}", "One assistant"],
  ["patch", "/api/assistants/{id}", "Changes an assistant", AssistantPatch],
  ["delete", "/api/assistants/{id}", "Deletes an assistant; its conversations go on without it"],
];
