import { z } from "zod";
import { findSchemaProblem } from "@/lib/protocol/check-schema";
import { maxText } from "./fields";

/*
 * What OpenAI's wires have in common. Programs send more fields than anybody could list, and `null` for what they do not say: what is
 * not named is left out and told of in a header, but what would change the form of the answer is refused.
 */

/** Bytes of a body: pictures stand in it. */
export const maxProgramBody = 32 * 1024 * 1024;
export const maxMessages = 5_000;
export const maxTools = 128;

/** A field of which one value alone is taken. */
export const only = <Value extends string | number | boolean>(value: Value, error: string) =>
  z.literal(value, { error }).nullish();

export const text = z.string().max(4 * maxText);
export const listError = { error: "must be text, or a list of parts" };
export const maxParts = 500;

export const callId = z.string().min(1).max(200);
export const functionName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "must have 1 to 128 letters, digits, underscores and hyphens");

/** A JSON Schema of a tool's arguments or of an answer. */
export const schema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const problem = findSchemaProblem(value);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

/** Of an answer: an object at its root, which is what providers take. */
export const answerSchema = schema.refine(
  (value) => value.type === "object",
  'its root must be of "type": "object"',
);

export const functionType = z.literal("function", {
  error: "must be function: other tools are those of Meguri's servers",
});
export const description = z.string().max(20_000).nullish();
export const formatError = { error: "must be of the type text, json_object or json_schema" };
export const choiceError = { error: "must be none, auto, required or one function of tools" };
export const notOneOfTools = "must be the name of one of tools";

export const topP = z.number().min(0).max(1);
