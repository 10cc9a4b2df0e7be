import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import { newCallId } from "@/lib/providers/tools/call-id";
import { maxArguments, readArguments, refuseArguments } from "@/lib/providers/tools/parse-arguments";

/** A part of the SDK's stream, by its type. */
export type Part<Type> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/** The calls whose arguments are being written, by the provider's id, each with the id of ours that it keeps. */
export class WrittenCalls {
  /** Characters of the arguments of all calls. */
  size = 0;
  private readonly open = new Map<string, { id: ToolCallId; name: string }>();

  /** More than is taken: those that are still being written will not be whole. */
  get isTooLarge(): boolean {
    return this.size > maxArguments;
  }

  begin({ id, toolName }: Part<"tool-input-start">): ModelChunk {
    const call = { id: newCallId(), name: toolName };
    this.open.set(id, call);
    return { type: "tool_input", ...call, content: "" };
  }

  add({ id, delta }: Part<"tool-input-delta">): ModelChunk | undefined {
    const call = this.open.get(id);
    this.size += delta.length;
    return call && { type: "tool_input", ...call, content: delta };
  }

  *cut(): Generator<ModelChunk> {
    for (const call of this.open.values())
      yield { type: "tool_call", call: { type: "tool_call", ...call, ...refuseArguments("", "size") } };
  }

  /** The whole call. The provider's id is free again: some use one twice. */
  end({ toolCallId, toolName, input }: Part<"tool-call">, signature: string | undefined): ToolCall {
    const call = this.open.get(toolCallId);
    this.open.delete(toolCallId);
    return {
      type: "tool_call",
      id: call?.id ?? newCallId(),
      name: toolName,
      ...(this.isTooLarge ? refuseArguments(input, "size") : readArguments(input)),
      ...(signature && { signature }),
    };
  }
}
