import type {
  JSONObject,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Turn } from "@/lib/agent/ports";
import { type ModelMessage, modelContent, modelHistory } from "@/lib/protocol/history";
import type {
  AssistantMessage,
  InlineFile,
  TextPart,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "@/lib/protocol/message";
import { type FileRules, imagesOf, textOf, toPart } from "@/lib/providers/shared/file-parts";

export interface PromptRules extends FileRules {
  /** Under which name the SDK keeps metadata of this provider. */
  key: string;
  /** Marks our signatures; the key unless given. */
  mark?: string;
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
 * Writes our history as the SDK wants it: thoughts only with the signature that the provider wants back, images of a
 * result beside its text. What has been converted is kept by identity of the message, so a long conversation is not
 * converted again every turn; one writer serves all models of a provider.
 */
export class PromptWriter {
  private readonly known = new WeakMap<ModelMessage, Written>();
  private readonly signatures: SignatureForm;
  private readonly mark: string;

  constructor(private readonly rules: PromptRules) {
    this.mark = `${rules.mark ?? rules.key}:`;
    this.signatures = rules.signatures ?? thoughtSignature;
  }

  write({ system, history }: Pick<Turn, "system" | "history">): LanguageModelV4Prompt {
    const messages = modelHistory(history);
    const prompt: LanguageModelV4Prompt = system ? [{ role: "system", content: system }] : [];
    let before: ModelMessage | undefined;
    for (const message of messages) {
      let written = this.known.get(message);
      // A round is filled while its tools run, so its length is part of its identity.
      if (!written || (message.role === "tool" && written.results !== message.results.length)) {
        written = {
          out: this.convert(message, before),
          results: message.role === "tool" ? message.results.length : 0,
        };
        this.known.set(message, written);
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
    return typeof token === "string" && token ? `${this.mark}${token}` : undefined;
  }

  private convert(message: ModelMessage, before: ModelMessage | undefined): LanguageModelV4Message[] {
    switch (message.role) {
      case "user":
        return [{ role: "user", content: this.userContent(message) }];
      case "assistant":
        return this.assistant(message);
      case "tool":
        return this.round(message, before?.role === "assistant" ? before : undefined);
    }
  }

  private userContent({ parts }: UserMessage): Content<"user"> {
    const content = parts.map((part) => toSdkPart(toPart(part, this.rules)));
    return content.length > 0 ? content : [{ type: "text", text: "" }];
  }

  private assistant({ parts }: AssistantMessage): LanguageModelV4Message[] {
    const content: Content<"assistant"> = [];
    for (const part of parts) {
      const options = this.options(part.signature);
      switch (part.type) {
        case "text":
          if (part.text || options.providerOptions)
            content.push({ type: "text", text: part.text, ...options });
          break;
        case "reasoning":
          if (options.providerOptions) content.push({ type: "reasoning", text: part.text, ...options });
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
    // A turn that was cut off after its thought: without what it led to, it is refused.
    while (content.at(-1)?.type === "reasoning") content.pop();
    return content.length > 0 ? [{ role: "assistant", content }] : [];
  }

  /** A signature of another provider means nothing to this one and would be refused. */
  private options(signature: string | undefined): { providerOptions?: SharedV4ProviderOptions } {
    const { mark, rules } = this;
    if (!signature?.startsWith(mark)) return {};
    return { providerOptions: { [rules.key]: this.signatures.write(signature.slice(mark.length)) } };
  }

  private round({ results }: ToolMessage, asking: AssistantMessage | undefined): LanguageModelV4Message[] {
    const names = new Map<string, string>();
    for (const part of asking?.parts ?? []) if (part.type === "tool_call") names.set(part.id, part.name);
    return [
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
  }

  private output(result: ToolResult): Extract<Content<"tool">[number], { type: "tool-result" }>["output"] {
    const content = modelContent(result);
    const failed = result.status === "error" || result.status === "denied";
    const files = imagesOf(content, this.rules).map(toFile);
    const text = textOf(content, this.rules);
    if (files.length === 0) return { type: failed ? "error-text" : "text", value: text };
    // Older Gemini models answer a call once for each text, so there is exactly one.
    return {
      type: "content",
      value: [{ type: "text", text: failed ? `[The tool failed.] ${text}` : text }, ...files],
    };
  }
}

const toSdkPart = (
  part: Pick<TextPart, "type" | "text"> | InlineFile,
): LanguageModelV4TextPart | LanguageModelV4FilePart => (part.type === "text" ? part : toFile(part));

const toFile = ({ mediaType, data, name }: InlineFile): LanguageModelV4FilePart => ({
  type: "file",
  mediaType,
  data: { type: "data", data },
  ...(name && { filename: name }),
});

const thoughtSignature: SignatureForm = {
  read: (metadata) => metadata.thoughtSignature,
  write: (token) => ({ thoughtSignature: token }),
};

interface Written {
  out: LanguageModelV4Message[];
  results: number;
}
