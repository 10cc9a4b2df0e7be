import { type ModelMessage, modelContent, modelHistory } from "@/lib/protocol/history";
import type {
  AssistantMessage,
  ChatMessage,
  InlineFile,
  TextPart,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "@/lib/protocol/message";
import { type FileRules, imagesOf, textOf, toPart } from "@/lib/providers/shared/file-parts";
import { type BodyPiece, toPiece } from "./body-piece";

export interface MessageRules extends FileRules {
  /** Marks the signatures that are this provider's. */
  key: string;
  /** Images of a tool result follow it in a message of their own: no result can hold one. */
  sendsToolImages: boolean;
}

/**
 * Writes our history as the messages of a chat completion. Each is kept as JSON text by identity of ours, so that a
 * long conversation is not converted again every turn.
 */
export class OpenAiMessages {
  private readonly known = new WeakMap<ModelMessage, Written>();
  /** By the last of them, where they are many. */
  private readonly before = new WeakMap<ModelMessage, Earlier>();

  constructor(private readonly rules: MessageRules) {}

  /** The messages as the inside of a JSON array. */
  write(system: string, history: readonly ChatMessage[]): BodyPiece[] {
    const messages = modelHistory(history);
    const turnStart = messages.findLastIndex((message) => message.role === "user");
    const earlier = this.earlier(system, messages.slice(0, Math.max(0, turnStart)));
    const current = this.join("", messages, { from: Math.max(0, turnStart), turnStart });
    return earlier.length > 0 && current ? [earlier, `,${current}`] : [earlier || current];
  }

  /** What stands before the turn is the same until it ends, and begins what stands before the next one. */
  private earlier(system: string, messages: readonly ModelMessage[]): BodyPiece {
    const last = messages.at(-1);
    const known = last && this.before.get(last);
    const rounds = messages.reduce((sum, message) => sum + resultsIn(message), 0);
    const isKnown =
      known?.system === system &&
      known.rounds === rounds &&
      known.messages.length === messages.length &&
      known.messages.every((message, index) => message === messages[index]);
    if (known && isKnown) return known.piece;
    const first = system ? JSON.stringify({ role: "system", content: system }) : "";
    const piece = toPiece(this.join(first, messages, { from: 0, turnStart: messages.length }));
    if (last && typeof piece !== "string") this.before.set(last, { system, messages, rounds, piece });
    return piece;
  }

  private join(
    first: string,
    messages: readonly ModelMessage[],
    { from, turnStart }: { from: number; turnStart: number },
  ): string {
    let text = first;
    for (let index = from; index < messages.length; index++) {
      const message = messages[index] as ModelMessage;
      // A round is filled while its tools run, so its length is part of its identity.
      const results = resultsIn(message);
      let written = this.known.get(message);
      if (written?.results !== results) {
        written = { results, ...this.convert(message, messages[index - 1]) };
        this.known.set(message, written);
      }
      const piece = index > turnStart ? written.current : written.earlier;
      if (piece) text += text ? `,${piece}` : piece;
    }
    return text;
  }

  private convert(message: ModelMessage, before: ModelMessage | undefined): Omit<Written, "results"> {
    if (message.role === "assistant")
      return { current: this.assistant(message, true), earlier: this.assistant(message, false) };
    const written =
      message.role === "user"
        ? this.user(message)
        : this.round(message, before?.role === "assistant" ? before : undefined);
    return { current: written, earlier: written };
  }

  private user({ parts }: UserMessage): string {
    const content = parts.map((part) => toPart(part, this.rules));
    const [first] = content;
    const isPlain = content.length < 2 && first?.type !== "file";
    return JSON.stringify({ role: "user", content: isPlain ? (first?.text ?? "") : content.map(toContent) });
  }

  /** Thoughts go back within the turn that they were thought in, which is what open models are trained on. */
  private assistant({ parts }: AssistantMessage, withThoughts: boolean): string {
    let text = "";
    let thoughts = "";
    const calls: unknown[] = [];
    for (const part of parts)
      if (part.type === "text") text += part.text;
      else if (part.type === "tool_call") calls.push(this.call(part));
      else if (withThoughts) thoughts += part.text;
    if (!text && !thoughts && calls.length === 0) return "";
    return JSON.stringify({
      role: "assistant",
      content: text || calls.length === 0 ? text : null,
      ...(thoughts && { reasoning_content: thoughts }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  private call({ id, name, args, signature }: ToolCall): unknown {
    // A signature of another provider means nothing to this one and would be refused.
    const mark = `${this.rules.key}:`;
    const token = signature?.startsWith(mark) && signature.slice(mark.length);
    return {
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
      ...(token && { extra_content: { google: { thought_signature: token } } }),
    };
  }

  private round({ results }: ToolMessage, asking: AssistantMessage | undefined): string {
    const { rules } = this;
    const out: unknown[] = [];
    const images: unknown[] = [];
    for (const result of results) {
      const content = modelContent(result);
      const text = textOf(content, rules.sendsToolImages ? rules : undefined);
      out.push({ role: "tool", tool_call_id: result.id, content: text });
      const files = rules.sendsToolImages ? imagesOf(content, rules) : [];
      if (files.length === 0) continue;
      const name = asking?.parts.find((part) => part.type === "tool_call" && part.id === result.id);
      const about = `[Images that ${name?.type === "tool_call" ? name.name : "the tool"} returned]`;
      images.push({ role: "user", content: [{ type: "text", text: about }, ...files.map(toContent)] });
    }
    return [...out, ...images].map((message) => JSON.stringify(message)).join(",");
  }
}

const resultsIn = (message: ModelMessage): number => (message.role === "tool" ? message.results.length : 0);

/** The messages before a turn, system prompt included. */
interface Earlier {
  system: string;
  messages: readonly ModelMessage[];
  /** Results in all of them. */
  rounds: number;
  piece: BodyPiece;
}

interface Written {
  /** In the turn that it was written in. */
  current: string;
  /** After the next question. */
  earlier: string;
  results: number;
}

function toContent(part: Pick<TextPart, "type" | "text"> | InlineFile): object {
  if (part.type === "text") return part;
  const { mediaType, data, name } = part;
  const url = `data:${mediaType};base64,${data}`;
  switch (mediaType.slice(0, mediaType.indexOf("/"))) {
    case "image":
      return { type: "image_url", image_url: { url } };
    case "audio":
      return {
        type: "input_audio",
        input_audio: { data, format: mediaType === "audio/wav" ? "wav" : "mp3" },
      };
    default:
      return { type: "file", file: { filename: name || "document.pdf", file_data: url } };
  }
}
