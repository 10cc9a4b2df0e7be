import { z } from "zod";
import { knobs, type Route } from "./fields";
import {
  answerSchema,
  callId,
  choiceError,
  description,
  formatError,
  functionName,
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

const inputText = z.looseObject({ type: z.enum(["input_text", "output_text", "text"]), text });
const refusal = z.looseObject({ type: z.literal("refusal"), refusal: text });
const inputImage = z.looseObject({ type: z.literal("input_image"), image_url: z.string() });
const inputFile = z.looseObject({
  type: z.literal("input_file"),
  filename: z.string().max(300).nullish(),
  file_data: z.string(),
});
const asInput = (content: unknown): unknown =>
  typeof content === "string" ? [{ type: "input_text", text: content }] : content;
const inputParts = z.preprocess(
  asInput,
  z
    .array(
      z.discriminatedUnion("type", [inputText, refusal, inputImage, inputFile], {
        error: "must be of the type input_text, input_image or input_file; audio is not taken",
      }),
      listError,
    )
    .max(maxParts),
);

const inputMessage = z.looseObject({
  type: z.literal("message"),
  role: z.enum(["system", "developer", "user", "assistant"], {
    error: "must be system, developer, user or assistant",
  }),
  content: inputParts,
});

/** A message needs no type. */
const asItem = (item: unknown): unknown =>
  typeof item === "object" && item !== null && !("type" in item) ? { ...item, type: "message" } : item;

const inputItem = z.preprocess(
  asItem,
  z.discriminatedUnion(
    "type",
    [
      inputMessage,
      z.looseObject({
        type: z.literal("function_call"),
        call_id: callId,
        name: z.string().min(1).max(1_024),
        arguments: text,
      }),
      z.looseObject({ type: z.literal("function_call_output"), call_id: callId, output: inputParts }),
      z.looseObject({ type: z.literal("item_reference"), id: z.string().min(1).max(200) }),
      z.looseObject({ type: z.literal("reasoning") }),
    ],
    {
      error: "must be of the type message, function_call, function_call_output, item_reference or reasoning",
    },
  ),
);

const functionTool = z.looseObject({
  type: z.literal("function"),
  name: functionName,
  description,
  parameters: schema.nullish(),
});

/** Programs name tools that OpenAI runs, and forms of their own, to any model: those are left out. */
const anyTool = z.looseObject({ type: z.string().max(100) }).transform((tool, context) => {
  if (tool.type !== "function") return { leftOut: tool.type };
  const read = functionTool.safeParse(tool);
  for (const { path, message } of read.error?.issues ?? [])
    context.addIssue({ code: "custom", path, message });
  return read.data ?? z.NEVER;
});

const flatChoice = z.union(
  [z.enum(["none", "auto", "required"]), z.looseObject({ type: z.literal("function"), name: functionName })],
  choiceError,
);

const textFormat = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ type: z.literal("text") }),
    z.looseObject({ type: z.literal("json_object") }),
    z.looseObject({
      type: z.literal("json_schema"),
      schema: answerSchema,
    }),
  ],
  formatError,
);

/** `POST /v1/responses`. */
export const ResponseBody = z
  .looseObject({
    model: z.string().min(1).max(300),
    input: z.preprocess(
      (input) => (typeof input === "string" ? [{ role: "user", content: input }] : input),
      z.array(inputItem, { error: "must be text, or a list of items" }).min(1).max(maxMessages),
    ),
    instructions: text.nullish(),
    previous_response_id: z.string().min(1).max(200).nullish(),
    store: z.boolean().nullish(),
    stream: z.boolean().nullish(),
    temperature: knobs.temperature.nullish(),
    top_p: topP.nullish(),
    max_output_tokens: knobs.maxOutputTokens.nullish(),
    reasoning: z.looseObject({ effort: knobs.effort.nullish() }).nullish(),
    text: z.looseObject({ format: textFormat.nullish() }).nullish(),
    tools: z.array(anyTool).max(maxTools).nullish(),
    tool_choice: flatChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    background: only(false, "must be false: an answer is written while its request is open"),
    conversation: z
      .null({ error: "must be left out; previous_response_id goes on in a conversation" })
      .optional(),
    prompt: z.null({ error: "must be left out: there are no stored prompts; send instructions" }).optional(),
  })
  .refine(
    ({ tool_choice: choice, tools }) =>
      typeof choice !== "object" ||
      choice === null ||
      tools?.some((tool) => "name" in tool && tool.name === choice.name),
    { path: ["tool_choice", "name"], message: notOneOfTools },
  );

export const responseFields: ReadonlySet<string> = new Set(Object.keys(ResponseBody.shape));

export const openAiResponseRoutes: Route[] = [
  [
    "post",
    "/v1/responses",
    "OpenAI's responses, whole or as events; previous_response_id goes on in what was stored",
    ResponseBody,
  ],
];
