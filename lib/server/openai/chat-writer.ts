import type { Usage } from "@/lib/protocol/usage";
import type { HttpError } from "@/lib/server/http/errors";
import type { RunRow } from "@/lib/store/types";
import { type Answer, type HandedCall, restOf, type WrittenPiece } from "./answer";
import type { AnswerWriter } from "./answer-form";
import { toOpenAiError } from "./errors";

/** `model`: as the program has named it. */
export interface ChatHead {
  run: Pick<RunRow, "id" | "startedAt">;
  model: string;
}

/** `POST /v1/chat/completions` without `stream`. */
export const toCompletion = (head: ChatHead, answer: Answer) => ({
  ...fieldsOf(head, "chat.completion"),
  choices: [
    {
      index: 0,
      message: toMessage(answer),
      logprobs: null,
      finish_reason: finishReason(answer),
    },
  ],
  usage: toUsage(answer.usage),
});

function toMessage({ text, calls }: Answer) {
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
  };
  return calls.length === 0 ? message : { ...message, tool_calls: calls.map(toToolCall) };
}

const toToolCall = ({ id, name, arguments: written }: HandedCall) => ({
  ...{ id, type: "function", function: { name, arguments: written } },
});

const fieldsOf = ({ run, model }: ChatHead, object: string) => ({
  id: `chatcmpl-${run.id}`,
  object,
  created: Math.floor(run.startedAt / 1000),
  model,
});

const toUsage = ({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cachedInputTokens },
});

/** Any limit that has cut the answer off is told as OpenAI's one is. */
function finishReason({ result, calls }: Answer): "stop" | "length" | "tool_calls" {
  if (calls.length > 0) return "tool_calls";
  return result?.stopReason === "end_turn" ? "stop" : "length";
}

/** The same as events. What stands in each of them is written once: a token costs the JSON of its own words. */
export class ChatWriter implements AnswerWriter {
  private readonly head: string;
  private isBegun = false;

  constructor(
    private readonly about: ChatHead,
    private readonly withUsage: boolean,
  ) {
    const fields = JSON.stringify(fieldsOf(about, "chat.completion.chunk"));
    this.head = `data: ${fields.slice(0, -1)}${withUsage ? ',"usage":null' : ""},"choices":[{"index":0,"delta":`;
  }

  text(piece: string): string {
    return `${this.begin()}${this.head}{"content":${JSON.stringify(piece)}},"finish_reason":null}]}\n\n`;
  }

  call({ id, name, index, isFirst, content }: WrittenPiece): string {
    const called = { ...(isFirst && { name }), arguments: content };
    const call = { index, ...(isFirst && { id, type: "function" }), function: called };
    return this.begin() + this.delta({ tool_calls: [call] });
  }

  end(answer: Answer): string {
    const reason = JSON.stringify(finishReason(answer));
    const calls = answer.calls.flatMap((call, index) => {
      if (call.told === undefined) return this.delta({ tool_calls: [{ index, ...toToolCall(call) }] });
      const rest = restOf(call);
      return rest === "" ? [] : this.delta({ tool_calls: [{ index, function: { arguments: rest } }] });
    });
    const usage = {
      ...fieldsOf(this.about, "chat.completion.chunk"),
      choices: [],
      usage: toUsage(answer.usage),
    };
    const told = this.withUsage ? `data: ${JSON.stringify(usage)}\n\n` : "";
    return `${this.begin()}${calls.join("")}${this.head}{},"finish_reason":${reason}}]}\n\n${told}data: [DONE]\n\n`;
  }

  fail(error: HttpError): string {
    return `data: ${JSON.stringify(toOpenAiError(error))}\n\n`;
  }

  private begin(): string {
    if (this.isBegun) return "";
    this.isBegun = true;
    return this.delta({ role: "assistant", content: "" });
  }

  private delta(delta: object): string {
    return `${this.head}${JSON.stringify(delta)},"finish_reason":null}]}\n\n`;
  }
}
