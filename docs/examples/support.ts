import type { Provider } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";

/** What the examples have in common: a model that says, turn by turn, what it is told to. */
export function scripted(...turns: ModelChunk[][]): Provider {
  let turn = 0;
  return {
    async *stream() {
      yield* turns[turn++] ?? says("Nothing more.");
    },
  };
}

export const says = (content: string): ModelChunk[] => [
  { type: "text", content },
  { type: "usage", stopReason: "end_turn", inputTokens: 12, outputTokens: 5 },
];

export const calls = (name: string, args: Record<string, unknown> = {}, id = "call_1"): ModelChunk[] => [
  { type: "tool_call", call: { type: "tool_call", id: id as ToolCallId, name, args } },
  { type: "usage", stopReason: "tool_use", inputTokens: 12, outputTokens: 8 },
];

export const question = (text: string): ChatMessage[] => [{ role: "user", parts: [{ type: "text", text }] }];
