import { z } from "zod";
import { anyObject, maxText, modelId, name, notYet, type Route } from "./fields";

/** They are kept with the run, which is read whenever its conversation is opened. */
const maxArgs = 64_000;
const maxParts = 100;
const statuses = ["ok", "error", "denied", "unknown"] as const;

const result = z.strictObject({
  status: z.enum(statuses),
  content: z
    .array(z.strictObject({ type: z.literal("text"), text: z.string().max(maxText) }))
    .min(1, "must hold a text")
    .max(maxParts)
    .refine(
      (parts) => parts.reduce((sum, { text }) => sum + text.length, 0) <= maxText,
      `may have at most ${maxText} characters`,
    ),
});

const edit = z
  .strictObject({
    text: z.string().trim().min(1, "must not be empty").max(maxText).optional(),
    callId: name.optional(),
    args: anyObject
      .refine((args) => JSON.stringify(args).length <= maxArgs, `may have at most ${maxArgs} characters`)
      .optional(),
    result: result.optional(),
  })
  .refine(
    ({ text, args, result }) => [text, args, result].filter((given) => given !== undefined).length === 1,
    "takes one of text, args and result",
  )
  .refine(({ text, callId }) => (callId === undefined) === (text !== undefined), {
    path: ["callId"],
    message: "goes with args and with result, and says of which call they are",
  });

export const ForkBody = z.strictObject({
  afterSeq: z.int().min(0),
  edit: edit.optional(),
  model: modelId.optional(),
  title: notYet("title"),
});

export const forkRoutes: Route[] = [
  [
    "post",
    "/api/runs/{id}/fork",
    "Begins another answer with what the log of a run says up to a step, with one edit",
    ForkBody,
  ],
];
