import type {
  JSONObject,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Turn } from "@/lib/agent/ports";
import { type ModelMessage, modelContent, modelHistory } from "@/lib/protocol/history";
import type { AssistantMessage, ToolMessage, ToolResult, UserMessage } from "@/lib/protocol/message";
import { type FileRules, imagesOf, textOf, toPart } from "./file-parts";

export interface PromptRules extends FileRules {
  /** Under which name the SDK keeps metadata of this provider; marks our signatures, too. */
  key: string;
  /** `signed`: what the provider wants back. `this_turn`: since the last user message, which is what open models are trained on. */
  reasoning: "signed" | "this_turn";
  /** Where images of a tool result go: beside its text, into a message of their own, or nowhere. */
  toolImages: "in_result" | "own_message" | "none";
  /** Default: the `thoughtSignature` of Gemini. */
  signatures?: SignatureForm;
}

/** Where the SDK keeps the token that has to go back. */
export interface SignatureForm {
  read(metadata: JSONObject): unknown;
  write(token: string): JSONObject;
}

type Content<Role> = Extract<LanguageModelV4Message, { role: Role }>["content"];

/**
 * Writes our history as the SDK wants it. What has been converted is kept by identity of the message,
 * so a long conversation is not converted again every turn; one writer serves all models of a provider.
 */
export class PromptWriter {
  private readonly earlier = new WeakMap<ModelMessage, Written>();
  private readonly current = new WeakMap<ModelMessage, Written>();

  private readonly signatures: SignatureForm;

  constructor(private readonly rules: PromptRules) {
    this.signatures = rules.signatures ?? thoughtSignature;
  }

  write({ system, history }: Pick<Turn, "system" | "history">): LanguageModelV4Prompt {
    const messages = modelHistory(history);
    const turnStart = messages.findLastIndex((message) => message.role === "user");
    const prompt: LanguageModelV4Prompt = system ? [{ role: "system", content: system }] : [];
    let before: ModelMessage | undefined;
    for (const [index, message] of messages.entries()) {
      const known = index > turnStart ? this.current : this.earlier;
      let written = known.get(message);
      // A round is filled while its tools run, so its length is part of its identity.
      if (!written || (message.role === "tool" && written.results !== message.results.length)) {
        written = {
          out: this.convert(message, before, index > turnStart),
          results: message.role === "tool" ? message.results.length : 0,
        };
        known.set(message, written);
      }
      prompt.push(...written.out);
      before = message;
    }
    return prompt;
  }

  /** The token in the metadata of a stream part that has to go back, marked as this provider's. */
  signature(metadata: SharedV4ProviderMetadata): string | undefined {
    const own = metadata[this.rules.key];
    const token = own && this.signatures.read(own);
    return typeof token === "string" && token ? `${this.rules.key}:${token}` : undefined;
  }

  private convert(
    message: ModelMessage,
    before: ModelMessage | undefined,
    current: boolean,
  ): LanguageModelV4Message[] {
    switch (message.role) {
      case "user":
        return [{ role: "user", content: this.userContent(message) }];
      case "assistant":
        return this.assistant(message, current);
      case "tool":
        return this.round(message, before?.role === "assistant" ? before : undefined);
    }
  }

  private userContent({ parts }: UserMessage): Content<"user"> {
    const content = parts.map((part) => toPart(part, this.rules));
    return content.length > 0 ? content : [{ type: "text", text: "" }];
  }

  private assistant({ parts }: AssistantMessage, current: boolean): LanguageModelV4Message[] {
    const content: Content<"assistant"> = [];
    for (const part of parts) {
      const options = this.options(part.signature);
      switch (part.type) {
        case "text":
          if (part.text || options.providerOptions)
            content.push({ type: "text", text: part.text, ...options });
          break;
        case "reasoning":
          if (this.rules.reasoning === "signed" ? options.providerOptions : current)
            content.push({ type: "reasoning", text: part.text, ...options });
          break;
        case "tool_call":
          content.push({
            type: "tool-call",
            toolCallId: part.id,
            toolName: part.name,
            input: part.args,
            ...options,
          });
      }
    }
    return content.length > 0 ? [{ role: "assistant", content }] : [];
  }

  /** A signature of another provider means nothing to this one and would be refused. */
  private options(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
    const { key } = this.rules;
    if (!signature?.startsWith(`${key}:`)) return {};
    return { providerOptions: { [key]: this.signatures.write(signature.slice(key.length + 1)) } };
  }

  private round({ results }: ToolMessage, asking: AssistantMessage | undefined): LanguageModelV4Message[] {
    const names = new Map<string, string>();
    for (const part of asking?.parts ?? []) if (part.type === "tool_call") names.set(part.id, part.name);
    const out: LanguageModelV4Message[] = [
      {
        role: "tool",
        content: results.map((result) => ({
          type: "tool-result",
          toolCallId: result.id,
          toolName: names.get(result.id) ?? "unknown",
          output: this.output(result),
        })),
      },
    ];
    if (this.rules.toolImages === "own_message")
      for (const result of results) {
        const files = imagesOf(modelContent(result), this.rules);
        if (files.length === 0) continue;
        const text = `[Images that ${names.get(result.id) ?? "the tool"} returned]`;
        out.push({ role: "user", content: [{ type: "text", text }, ...files] });
      }
    return out;
  }

  private output(result: ToolResult): Extract<Content<"tool">[number], { type: "tool-result" }>["output"] {
    const content = modelContent(result);
    const failed = result.status === "error" || result.status === "denied";
    const files = this.rules.toolImages === "in_result" ? imagesOf(content, this.rules) : [];
    const text = textOf(content, this.rules.toolImages === "none" ? undefined : this.rules);
    if (files.length === 0) return { type: failed ? "error-text" : "text", value: text };
    // Older Gemini models answer a call once for each text, so there is exactly one.
    return {
      type: "content",
      value: [{ type: "text", text: failed ? `[The tool failed.] ${text}` : text }, ...files],
    };
  }
}

const thoughtSignature: SignatureForm = {
  read: (metadata) => metadata.thoughtSignature,
  write: (token) => ({ thoughtSignature: token }),
};

interface Written {
  out: LanguageModelV4Message[];
  results: number;
}
