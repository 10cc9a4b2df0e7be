import type {
  JSONObject,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ToolSpec, Turn } from "@/lib/agent/ports";
import { toAnthropicSchema } from "@/lib/providers/tools/tool-schema";
import { PromptWriter, type SignatureForm } from "./prompt-writer";
import { ToolWriter } from "./tool-writer";

/**
 * Marks what stays the same from turn to turn, so that it is read from the cache the next time: the tools, the
 * system prompt, and everything up to the last message. Four marks are allowed.
 */
export class AnthropicPrompts {
  private readonly writer: PromptWriter;
  private readonly mark: SharedV4ProviderOptions;

  constructor(key: string) {
    this.writer = new PromptWriter({
      key,
      carries,
      signatures,
    });
    this.mark = ephemeral(key);
  }

  write(turn: Pick<Turn, "system" | "history">): LanguageModelV4Prompt {
    const prompt = this.writer.write(turn);
    // The messages belong to the writer, who gives them out again: marks go onto copies.
    return prompt.map((message, index) =>
      message.role === "system" || index === prompt.length - 1
        ? { ...message, providerOptions: this.mark }
        : message,
    );
  }

  signature(metadata: SharedV4ProviderMetadata): string | undefined {
    return this.writer.signature(metadata);
  }
}

export class AnthropicTools {
  private readonly writer = new ToolWriter(toAnthropicSchema);
  private readonly mark: SharedV4ProviderOptions;

  constructor(key: string) {
    this.mark = ephemeral(key);
  }

  write(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
    const written = this.writer.write(tools);
    return written.map((tool, index) =>
      index === written.length - 1 ? { ...tool, providerOptions: this.mark } : tool,
    );
  }
}

/**
 * Whether every answer since the last question began with a thought of this provider, as it insists on while one is on. What is said
 * right after results goes with them and is no question, also where an answer stood between that is not sent.
 */
export function hasThoughtBefore(prompt: LanguageModelV4Prompt): boolean {
  const followsResults = (at: number): boolean => {
    let before = at - 1;
    while (prompt[before]?.role === "user") before--;
    return prompt[before]?.role === "tool";
  };
  const asked = prompt.findLastIndex(({ role }, at) => role === "user" && !followsResults(at));
  return prompt
    .slice(asked + 1)
    .every(({ role, content }) => role !== "assistant" || content[0]?.type === "reasoning");
}

const carries = (mediaType: string) => /^image\/(png|jpeg|webp|gif)$|^application\/pdf$/.test(mediaType);

const ephemeral = (key: string): SharedV4ProviderOptions => ({
  [key]: { cacheControl: { type: "ephemeral" } },
});

const hidden = "hidden ";

/** Shown thoughts have a signature; hidden ones are all token, and a space is in neither. */
const signatures: SignatureForm = {
  read: ({ signature, redactedData }: JSONObject) =>
    typeof redactedData === "string" ? `${hidden}${redactedData}` : signature,
  write: (token) =>
    token.startsWith(hidden) ? { redactedData: token.slice(hidden.length) } : { signature: token },
};
