import { z } from "zod";
import { findSchemaProblem } from "@/lib/protocol/check-schema";
import { knobs, maxText, type Route } from "./fields";

/*
 * What OpenAI's wires take. Programs send more fields than anybody could list, and `null` for what they do not say: what is not
 * named here is left out and told of in a header, but what would change the form of the answer is refused.
 */

/** Bytes of a body: pictures stand in it. */
export const maxProgramBody = 32 * 1024 * 1024;
const maxMessages = 5_000;
const maxTools = 128;
const maxStops = 4;

const only = <Value extends string | number | boolean>(value: Value, error: string) =>
  z.literal(value, { error }).nullish();

const text = z.string().max(4 * maxText);
const textPart = z.looseObject({ type: z.literal("text"), text });
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({ url: z.string() }),
});
const filePart = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({ filename: z.string().max(300).nullish(), file_data: z.string() }),
});

/** Text alone is a list of one part. */
const asParts = (content: unknown): unknown =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;
const listError = { error: "must be text, or a list of parts" };
const maxParts = 500;

const words = z.preprocess(
  asParts,
  z
    .array(z.discriminatedUnion("type", [textPart], { error: "must be of the type text" }), listError)
    .max(maxParts),
);
const question = z.preprocess(
  asParts,
  z
    .array(
      z.discriminatedUnion("type", [textPart, imagePart, filePart], {
        error: "must be of the type text, image_url or file; audio is not taken",
      }),
      listError,
    )
    .max(maxParts),
);

const callId = z.string().min(1).max(200);
const functionName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "must have 1 to 128 letters, digits, underscores and hyphens");

const calls = z
  .array(
    z.looseObject({
      id: callId,
      type: z.literal("function", { error: "must be function" }).nullish(),
      function: z.looseObject({ name: z.string().min(1).max(1_024), arguments: text }),
    }),
  )
  .max(maxTools);

const message = z.discriminatedUnion(
  "role",
  [
    z.looseObject({ role: z.literal("system"), content: words }),
    z.looseObject({ role: z.literal("developer"), content: words }),
    z.looseObject({ role: z.literal("user"), content: question }),
    z.looseObject({
      role: z.literal("assistant"),
      content: words.nullish(),
      tool_calls: calls.nullish(),
    }),
    z.looseObject({ role: z.literal("tool"), content: words, tool_call_id: callId }),
  ],
  { error: "must be system, developer, user, assistant or tool" },
);

/** A JSON Schema of a tool's arguments or of an answer. */
const schema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const problem = findSchemaProblem(value);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

const tool = z.looseObject({
  type: z.literal("function", { error: "must be function: other tools are those of Meguri's servers" }),
  function: z.looseObject({
    name: functionName,
    description: z.string().max(20_000).nullish(),
    parameters: schema.nullish(),
  }),
});

const toolChoice = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: functionName }) }),
  ],
  { error: "must be none, auto, required or one function of tools" },
);

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ type: z.literal("text") }),
    z.looseObject({ type: z.literal("json_object") }),
    z.looseObject({
      type: z.literal("json_schema"),
      json_schema: z.looseObject({
        schema: schema.refine((value) => value.type === "object", 'its root must be of "type": "object"'),
      }),
    }),
  ],
  { error: "must be of the type text, json_object or json_schema" },
);

const stop = z.string().min(1).max(500);

/** `POST /v1/chat/completions`. */
export const ChatCompletionBody = z
  .looseObject({
    model: z.string().min(1).max(300),
    messages: z.array(message).min(1).max(maxMessages),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    max_tokens: knobs.maxOutputTokens.nullish(),
    max_completion_tokens: knobs.maxOutputTokens.nullish(),
    temperature: knobs.temperature.nullish(),
    reasoning_effort: knobs.effort.nullish(),
    stop: z.union([stop, z.array(stop).max(maxStops)]).nullish(),
    response_format: responseFormat.nullish(),
    tools: z.array(tool).max(maxTools).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    store: z.boolean().nullish(),
    n: only(1, "must be 1: a request gets one answer"),
    logprobs: only(false, "must be false: nobody tells how likely tokens were"),
    modalities: z.array(z.literal("text", { error: "must be text: nothing else is written" })).nullish(),
    audio: z.null({ error: "must be left out: nothing is spoken" }).optional(),
    functions: z.null({ error: "is not taken any more; send tools" }).optional(),
    function_call: z.null({ error: "is not taken any more; send tool_choice" }).optional(),
  })
  .refine(({ tool_choice, tools }) => typeof tool_choice !== "object" || namesTool(tool_choice, tools), {
    path: ["tool_choice", "function", "name"],
    message: "must be the name of one of tools",
  });

type Tools = readonly z.output<typeof tool>[] | null | undefined;

function namesTool(choice: z.output<typeof toolChoice> | null, tools: Tools): boolean {
  return typeof choice !== "object" || choice === null
    ? true
    : (tools?.some((one) => one.function.name === choice.function.name) ?? false);
}

/** What is taken of a body; all else is left out. */
export const chatCompletionFields: ReadonlySet<string> = new Set(Object.keys(ChatCompletionBody.shape));

export const openAiRoutes: Route[] = [
  ["get", "/v1/models", "Models, assistants and workflow agents that a program can ask"],
  [
    "post",
    "/v1/chat/completions",
    "OpenAI's chat completions, whole or as events; the tools of the program are returned to it",
    ChatCompletionBody,
  ],
];
