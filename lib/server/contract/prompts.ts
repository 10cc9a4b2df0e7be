import { z } from "zod";
import { promptLimits, variablesOf } from "@/lib/protocol/prompts";
import { line, PageQuery, type Route, visible } from "./fields";

const maxBytes = 100 * 1024;

const fields = {
  name: line(promptLimits.name).refine((text) => text !== "", "must not be empty"),
  text: visible(
    z
      .string()
      .refine((text) => text.trim() !== "", "must not be empty")
      .refine((text) => Buffer.byteLength(text) <= maxBytes, "must have at most 100 KB; shorten it")
      .refine(
        (text) => text.length > maxBytes || variablesOf(text).length <= promptLimits.variables,
        `must have at most ${promptLimits.variables} variables`,
      ),
  ),
};

export const PromptBody = z.strictObject(fields);

export const PromptPatch = z.strictObject({
  name: fields.name.optional(),
  text: fields.text.optional(),
});

export const PromptQuery = PageQuery.extend({ name: z.string().trim().max(200).optional() });

export const promptRoutes: Route[] = [
  ["get", "/api/prompts", "The prompts of a person, newest first; ?name= those with it in their name"],
  ["post", "/api/prompts", "Keeps a prompt", PromptBody],
  ["patch", "/api/prompts/{id}", "Changes a prompt", PromptPatch],
  ["delete", "/api/prompts/{id}", "Deletes a prompt"],
];
