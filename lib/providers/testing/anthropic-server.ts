import { Calls, isObject } from "./refusals";
import type { ScriptedCall } from "./steps";
import type { Wire } from "./wire-play";
import type { WireOptions } from "./wire-request";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that speaks Anthropic's messages on 127.0.0.1, by a script. Its `url` is a base URL. */
export const startAnthropicServer = (script: Script, options?: WireOptions): Promise<WireServer> =>
  startWireServer(anthropic, script, options);

interface Block {
  type: string;
  id?: string;
  text?: string;
  input?: unknown;
  signature?: string;
  data?: string;
  tool_use_id?: string;
  content?: string | Block[];
}
interface Message {
  role: string;
  content: string | Block[];
}

const anthropic: Wire = {
  basePath: "/v1",
  namesEvents: true,
  read(path, body) {
    if (!path.endsWith("/messages")) return undefined;
    const messages = (body.messages ?? []) as Message[];
    const asked = messages.findLastIndex(
      ({ role, content }) => role === "user" && blocks(content).some((block) => block.type === "text"),
    );
    return {
      model: String(body.model),
      lastUserText: textOf(messages[asked]?.content),
      toolResults: messages
        .slice(asked + 1)
        .flatMap(({ content }) => blocks(content))
        .filter((block) => block.type === "tool_result")
        .map((block) => textOf(block.content)),
      tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
    };
  },
  problems,
  other: (path, models) =>
    path.startsWith("/v1/models?") || path === "/v1/models"
      ? { data: models.map((id) => ({ type: "model", id, display_name: id })), has_more: false }
      : undefined,
  start: (_request, { input, cached = 0 }) => [
    event("message_start", {
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "test",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input - cached, output_tokens: 1, cache_read_input_tokens: cached },
      },
    }),
    event("ping", {}),
  ],
  content(step, { block, first, last }) {
    const begin = (content_block: unknown) =>
      first ? [event("content_block_start", { index: block, content_block })] : [];
    const end = last ? [event("content_block_stop", { index: block })] : [];
    switch (step.type) {
      case "text":
        return [
          ...begin({ type: "text", text: "" }),
          delta(block, { type: "text_delta", text: step.content }),
          ...end,
        ];
      case "reasoning":
        return [
          ...begin({ type: "thinking", thinking: "", signature: "" }),
          delta(block, { type: "thinking_delta", thinking: step.content }),
          ...(step.signature ? [delta(block, { type: "signature_delta", signature: step.signature })] : []),
          ...end,
        ];
      case "calls":
        return step.calls.flatMap((call, index) => toolUse(block + index, call));
    }
  },
  end: (reason, { output }, called) => [
    event("message_delta", {
      delta: { stop_reason: reason ?? (called ? "tool_use" : "end_turn"), stop_sequence: null },
      usage: { output_tokens: output },
    }),
    event("message_stop", {}),
  ],
  error: (status, message) => ({
    type: "error",
    error: { type: types[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
  }),
};

const types: Record<number, string> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** The raw bytes of a block that a model may not show. */
export const redactedThinking = (index: number, data: string): string =>
  [
    event("content_block_start", { index, content_block: { type: "redacted_thinking", data } }),
    event("content_block_stop", { index }),
  ]
    .map((line) => `data: ${line}\n\n`)
    .join("");

function toolUse(index: number, { name, args = {}, id = `toolu_${name}`, written }: ScriptedCall): string[] {
  const json = written ?? JSON.stringify(args);
  const half = Math.ceil(json.length / 2);
  const piece = (partial_json: string) => delta(index, { type: "input_json_delta", partial_json });
  return [
    event("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }),
    piece(""),
    piece(json.slice(0, half)),
    piece(json.slice(half)),
    event("content_block_stop", { index }),
  ];
}

const event = (type: string, more: Record<string, unknown>) => JSON.stringify({ type, ...more });
const delta = (index: number, value: unknown) => event("content_block_delta", { index, delta: value });

const blocks = (content: Message["content"]): Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function textOf(content: Message["content"] | undefined): string {
  return blocks(content ?? [])
    .map((block) => block.text ?? "")
    .join("");
}

function* problems(body: Record<string, unknown>): Generator<string, undefined> {
  const messages = (body.messages as Message[]).map(({ role, content }) => ({
    role,
    blocks: blocks(content),
  }));
  if (messages[0]?.role !== "user") yield "messages: first message must use the user role";
  if (messages.at(-1)?.role !== "user") yield "This model does not support assistant message prefill.";
  const calls = new Calls();
  for (const [index, { role, blocks: own }] of messages.entries()) {
    const at = `messages.${index}`;
    if (role === messages[index - 1]?.role) yield `${at}: roles must alternate`;
    if (own.length === 0) yield `${at}: content must not be empty`;
    for (const block of own) yield* blockProblems(block, at);
    const answers = own.filter(({ type }) => type === "tool_result");
    yield* calls.answer(
      answers.map((block) => block.tool_use_id),
      at,
    );
    if (own.slice(0, answers.length).some(({ type }) => type !== "tool_result"))
      yield `${at}: tool_result blocks must come first`;
    if (role === "assistant" && isThought(own.at(-1)))
      yield `${at}: The final block in an assistant message cannot be \`thinking\`.`;
    yield* calls.ask(
      own.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
      at,
    );
  }
  const isThinking = (body.thinking as { type?: string } | undefined)?.type === "enabled";
  const goesOn = messages.at(-1)?.blocks.some(({ type }) => type === "tool_result");
  if (isThinking && goesOn && !isThought(messages.at(-2)?.blocks[0]))
    yield "messages: Expected `thinking` or `redacted_thinking`, but found another block.";
}

function* blockProblems(
  { type, text, input, signature, data, content }: Block,
  at: string,
): Generator<string, undefined> {
  if (type === "text" && !text?.trim()) yield `${at}: text content blocks must contain non-whitespace text`;
  if (type === "tool_use" && !isObject(input)) yield `${at}: tool_use.input: Input should be an object`;
  if (type === "thinking" && !signature) yield `${at}: thinking.signature: Field required`;
  if (type === "redacted_thinking" && !data) yield `${at}: redacted_thinking.data: Field required`;
  if (type === "tool_result" && Array.isArray(content))
    for (const part of content) yield* blockProblems(part, at);
}

const isThought = (block: Block | undefined) =>
  block?.type === "thinking" || block?.type === "redacted_thinking";
