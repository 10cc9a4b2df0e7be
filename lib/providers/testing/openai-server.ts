import { Calls, isObject, parsed } from "./refusals";
import { finish, raw, type Step } from "./steps";
import type { Wire } from "./wire-play";
import type { WireOptions } from "./wire-request";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that speaks OpenAI's chat completions on 127.0.0.1, by a script; its list of models answers as Ollama, too. */
export const startOpenAiServer = (script: Script, options?: WireOptions): Promise<WireServer> =>
  startWireServer(chatWire, script, options);

interface Message {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
}

export const chatWire: Wire = {
  basePath: "/v1",
  read(path, body) {
    if (!path.endsWith("/chat/completions")) return undefined;
    const messages = (body.messages ?? []) as Message[];
    const asked = messages.findLastIndex((message) => message.role === "user");
    const declared = (body.tools ?? []) as { function: { name: string } }[];
    return {
      model: String(body.model),
      lastUserText: textOf(messages[asked]),
      toolResults: messages
        .slice(asked + 1)
        .filter((message) => message.role === "tool")
        .map(textOf),
      tools: declared.map((tool) => tool.function.name),
    };
  },
  problems,
  other(path, models, { capabilities = ["completion", "tools"], contextWindow }) {
    switch (path) {
      case "/v1/models":
        return {
          object: "list",
          data: models.map((id) => ({
            ...{ id, object: "model", owned_by: "test" },
            ...(contextWindow && { max_model_len: contextWindow }),
          })),
        };
      case "/api/tags":
        return { models: models.map((name) => ({ name, model: name })) };
      case "/api/show":
        return { capabilities, model_info: { "test.context_length": 8192 } };
      default:
        return undefined;
    }
  },
  start: ({ id }) => [delta(id, { role: "assistant", content: "" })],
  content(step, _place, { id: answer }) {
    switch (step.type) {
      case "text":
        return [delta(answer, { content: step.content })];
      case "reasoning":
        return [delta(answer, { reasoning_content: step.content })];
      case "calls":
        return step.calls.flatMap(({ name, args = {}, id = `call_${name}`, written }, index) => {
          const json = written ?? JSON.stringify(args);
          const half = Math.ceil(json.length / 2);
          const piece = (text: string) =>
            delta(answer, { tool_calls: [{ index, function: { arguments: text } }] });
          return [
            delta(answer, {
              tool_calls: [{ index, ...(id && { id }), type: "function", function: { name, arguments: "" } }],
            }),
            piece(json.slice(0, half)),
            piece(json.slice(half)),
          ];
        });
    }
  },
  end(reason, { input, output, cached }, called, { id, body }) {
    const wanted = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage;
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    };
    return [
      chunk(id, [{ index: 0, delta: {}, finish_reason: reason ?? (called ? "tool_calls" : "stop") }]),
      ...(wanted ? [chunk(id, [], { usage })] : []),
      "[DONE]",
    ];
  },
  error: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "error", code: status },
  }),
};

/**
 * A turn that calls one tool and writes its arguments piece by piece; a step between two pieces is done in its turn.
 */
export function writeCall(name: string, written: readonly (string | Step)[]): Step[] {
  const event = (called: object): Step =>
    raw(`data: ${delta("chatcmpl-1", { tool_calls: [{ index: 0, ...called }] })}\n\n`);
  return [
    event({ id: "call_1", type: "function", function: { name, arguments: "" } }),
    ...written.map((piece) =>
      typeof piece === "string" ? event({ function: { arguments: piece } }) : piece,
    ),
    finish("tool_calls"),
  ];
}

const delta = (id: string, value: Record<string, unknown>) =>
  chunk(id, [{ index: 0, delta: value, finish_reason: null }]);

const chunk = (id: string, choices: unknown[], more: Record<string, unknown> = {}) =>
  JSON.stringify({
    id,
    object: "chat.completion.chunk",
    created: 1,
    model: "test",
    choices,
    ...more,
  });

function textOf(message: Message | undefined): string {
  const content = message?.content;
  return Array.isArray(content) ? content.map((part) => part.text ?? "").join("") : (content ?? "");
}

interface AskedMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  reasoning_content?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** OpenAI's own rules, and that the last word is not the model's. */
function* problems(body: Record<string, unknown>): Generator<string, undefined> {
  const messages = body.messages as AskedMessage[];
  if (messages.at(-1)?.role === "assistant") yield "messages: the last one must not be the assistant's";
  const calls = new Calls();
  let answers: (string | undefined)[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content, tool_calls = [], reasoning_content, tool_call_id } = message;
    const at = `messages.[${index}]`;
    if (role === "tool") {
      answers.push(tool_call_id);
      if (messages[index + 1]?.role === "tool") continue;
    }
    yield* calls.answer(answers, at);
    answers = [];
    if (role === "system" && index > 0) yield `${at}: a system message comes first`;
    if (role === "user" && !content?.length) yield `${at}.content must not be empty`;
    if (role === "assistant" && !content && !reasoning_content && tool_calls.length === 0)
      yield `${at}: either content or tool_calls must be provided`;
    for (const call of tool_calls)
      if (!isObject(parsed(call.function.arguments))) yield `${at}.tool_calls: arguments are no JSON object`;
    yield* calls.ask(
      tool_calls.map(({ id }) => id),
      at,
    );
  }
}
