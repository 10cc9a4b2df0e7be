import { z } from "zod";
import { knobs, type Route } from "./fields";
import {
  answerSchema,
  callId,
  choiceError,
  description,
  formatError,
  functionName,
  functionType,
  listError,
  maxMessages,
  maxParts,
  maxTools,
  notOneOfTools,
  only,
  schema,
  text,
  topP,
} from "./openai-fields";

const maxStops = 4;

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

const tool = z.looseObject({
  type: functionType,
  function: z.looseObject({
    name: functionName,
    description: description,
    parameters: schema.nullish(),
  }),
});

const toolChoice = z.union(
  [
    z.enum(["none", "auto", "required"]),
    z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: functionName }) }),
  ],
  choiceError,
);

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ type: z.literal("text") }),
    z.looseObject({ type: z.literal("json_object") }),
    z.looseObject({
      type: z.literal("json_schema"),
      json_schema: z.looseObject({
        schema: answerSchema,
      }),
    }),
  ],
  formatError,
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
    top_p: topP.nullish(),
    seed: z.int().nullish(),
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
  .refine(
    ({ tool_choice: choice, tools }) =>
      typeof choice !== "object" ||
      choice === null ||
      tools?.some((one) => one.function.name === choice.function.name),
    { path: ["tool_choice", "function", "name"], message: notOneOfTools },
  );

/** What is taken of a body; all else is left out. */
export const chatCompletionFields: ReadonlySet<string> = new Set(Object.keys(ChatCompletionBody.shape));

export const openAiChatRoutes: Route[] = [
  ["get", "/v1/models", "Models, assistants and workflow agents that a program can ask"],
  ["get", "/v1/models/{id}", "One of them, by the id that it has in the list"],
  [
    "post",
    "/v1/chat/completions",
    "OpenAI's chat completions, whole or as events; the tools of the program are returned to it",
    ChatCompletionBody,
  ],
];
