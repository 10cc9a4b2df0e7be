import { type ModelMessage, modelContent, modelHistory } from "@/lib/protocol/history";
import type {
  AssistantMessage,
  ChatMessage,
  FilePart,
  TextPart,
  ToolMessage,
  UserMessage,
} from "@/lib/protocol/message";
import { textOf } from "@/lib/providers/shared/file-parts";

/**
 * Writes tool calls and their results as plain text turns, for a model whose wire knows no tools. Kept by identity
 * of the message, so that the adapter behind it can keep what it makes of them.
 */
export class PlainHistory {
  private readonly asJson = new WeakMap<ModelMessage, Written>();
  private readonly asProse = new WeakMap<ModelMessage, Written>();

  constructor(private readonly sees: () => boolean) {}

  /** With `json` the model's own turns have the form in which it has to answer. */
  write(history: readonly ChatMessage[], json: boolean): ChatMessage[] {
    const known = json ? this.asJson : this.asProse;
    const out: ChatMessage[] = [];
    let names = new Map<string, string>();
    for (const message of modelHistory(history)) {
      if (message.role === "assistant") names = namesIn(message);
      const results = message.role === "tool" ? message.results.length : 0;
      let written = known.get(message);
      if (!written || written.results !== results) {
        written = { results, message: this.convert(message, names, json) };
        known.set(message, written);
      }
      const last = out.at(-1);
      // Many templates insist that the two sides take turns.
      if (last?.role === "user" && written.message.role === "user")
        out[out.length - 1] = { role: "user", parts: [...last.parts, ...written.message.parts] };
      else out.push(written.message);
    }
    return out;
  }

  private convert(
    message: ModelMessage,
    names: Map<string, string>,
    json: boolean,
  ): UserMessage | AssistantMessage {
    switch (message.role) {
      case "user":
        return message;
      case "assistant":
        return {
          role: "assistant",
          parts: [{ type: "text", text: json ? answerAsJson(message) : answerAsProse(message) }],
        };
      case "tool":
        return { role: "user", parts: this.results(message, names) };
    }
  }

  private results({ results }: ToolMessage, names: Map<string, string>): (TextPart | FilePart)[] {
    return results.flatMap((result) => {
      const content = modelContent(result);
      const name = names.get(result.id) ?? "the tool";
      const failed = result.status === "error" || result.status === "denied";
      const text = textOf(content, this.sees() ? { carries: isImage } : undefined);
      const images = content.filter((part) => part.type === "file" && isImage(part.mediaType));
      return [
        { type: "text" as const, text: `[${failed ? "Failure" : "Result"} of ${name}]\n${text}` },
        ...(this.sees() ? images : []),
      ];
    });
  }
}

interface Written {
  message: UserMessage | AssistantMessage;
  results: number;
}

function answerAsJson(message: AssistantMessage): string {
  const text = said(message);
  const calls = callsIn(message).map(({ name, args }) => ({ name, input: args }));
  return JSON.stringify({
    ...((text || calls.length === 0) && { response: text }),
    ...(calls.length > 0 && { tool_call: calls.length > 1 ? calls : calls[0] }),
  });
}

function answerAsProse(message: AssistantMessage): string {
  const calls = callsIn(message).map(({ name, args }) => `[Called ${name} with ${JSON.stringify(args)}]`);
  return [said(message), ...calls].filter(Boolean).join("\n") || "…";
}

const said = ({ parts }: AssistantMessage) =>
  parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");

const callsIn = ({ parts }: AssistantMessage) => parts.filter((part) => part.type === "tool_call");

const namesIn = (message: AssistantMessage) => new Map(callsIn(message).map(({ id, name }) => [id, name]));

const isImage = (mediaType: string) => mediaType.startsWith("image/");
