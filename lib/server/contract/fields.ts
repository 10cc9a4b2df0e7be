import { z } from "zod";
import { efforts } from "@/lib/protocol/effort";
import { modelIdPattern } from "@/lib/protocol/model-id";
import { hasInvisible } from "@/lib/protocol/show-invisible";
import { notSupported } from "@/lib/server/http/errors";

/** A line of the OpenAPI document; the summary without its full stop. */
export type Route = [method: string, path: string, summary: string, body?: z.ZodType];

/** Without what the database drops: another row would be found by it. */
export const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes("\0");
const key = (max: number) =>
  z.string().min(1).max(max).refine(isPlain, "must not hold NUL or half a character");
export const id = key(64);
/** Of a message, made by its client. */
export const clientMessageId = key(100);
export const name = z.string().min(1).max(200);
/** Of a tool, as long as a server may call it. */
export const toolName = z.string().min(1).max(1_024);
/** In a query. */
export const flag = z.enum(["true", "false"], "must be true or false").transform((value) => value === "true");
/** `provider/name`. */
export const modelId = z.string().regex(modelIdPattern, 'must be "provider/name"').max(300);
/** Longest message, in UTF-16 code units. */
export const maxText = 400_000;
export const object = z.record(z.string(), z.unknown());

/** How a model is asked; a request takes the same as the settings. */
export const knobs = {
  effort: z.enum(efforts),
  temperature: z.number().min(0).max(2),
  maxOutputTokens: z.int().min(1).max(10_000_000),
};

const maxInstructions = 100 * 1024;

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > maxInstructions;

/** What a person tells the models. */
export const instructions = z
  .string()
  .refine((text) => !isTooLong(text), "must have at most 100 KB; shorten it");

/** What is sent to a model as a person's own words must be what that person has seen. One that is too long anyhow is not looked through. */
export const visible = (schema: z.ZodString) =>
  schema.refine(
    (text) => isTooLong(text) || !hasInvisible(text),
    "must not hold characters that cannot be seen",
  );

/** The same without line breaks and whatever stands round it. */
export const line = (max: number) =>
  visible(
    z
      .string()
      .trim()
      .max(max)
      .regex(/^\P{Cc}*$/u, "must not hold control characters"),
  );

export const EmptyBody = z.strictObject({});

/** `limit` and `cursor` of every list. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

/** An object with any names: `z.record` silently drops one called `__proto__`. */
export const anyObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  )
  .meta({ type: "object", additionalProperties: {} });

/** A field of the contract that is not built yet: 422 rather than silence. */
export const notYet = (what: string) =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      if (value !== undefined) throw notSupported(what);
      return undefined;
    });
