import type { ScriptedCall } from "./steps";
import type { Wire } from "./wire-play";
import type { WireOptions } from "./wire-request";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that speaks Anthropic's messages on 127.0.0.1, by a script. Its `url` is a base URL. */
export const startAnthropicServer = (script: Script, options?: WireOptions): Promise<WireServer> =>
  startWireServer(anthropic, script, options);

interface Block {
  type: string;
  text?: string;
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
