import { singly } from "@/lib/agent/chunks-in";
import type { Provider, ToolSpec, Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ChatMessage, ToolCall, ToolResult, UserMessage } from "@/lib/protocol/message";

export const user = (text: string): UserMessage => ({ role: "user", parts: [{ type: "text", text }] });

export const tool = (name: string, inputSchema: Record<string, unknown> = { type: "object" }): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
});

export const turn = (
  history: ChatMessage[],
  { tools = [], signal = new AbortController().signal, system = "" }: Partial<Turn> = {},
): Turn => ({ system, history, tools, signal });

/** A turn to its end: the chunks that came, and the error if it threw one. */
export async function collect(
  provider: Provider,
  asked: Turn,
  onChunk: (chunk: ModelChunk) => void = () => {},
): Promise<{ chunks: ModelChunk[]; error: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of singly(provider.stream(asked))) {
      asked.signal.throwIfAborted(); // as the loop does
      chunks.push(chunk);
      onChunk(chunk);
    }
    return { chunks, error: undefined };
  } catch (error) {
    return { chunks, error };
  }
}

export const textOf = (chunks: readonly ModelChunk[]): string =>
  chunks.map((chunk) => (chunk.type === "text" ? chunk.content : "")).join("");

export const callsOf = (chunks: readonly ModelChunk[]): ToolCall[] =>
  chunks.flatMap((chunk) => (chunk.type === "tool_call" ? chunk.call : []));

/** The kinds of chunks in order; pieces of one part count once, and those of a call's arguments as the call. */
export const kinds = (chunks: readonly ModelChunk[]): string =>
  chunks
    .map(({ type }) => type)
    .filter((type) => type !== "tool_input")
    .filter((type, index, all) => type === "tool_call" || type !== all[index - 1])
    .join(" ");

export const answer = (call: ToolCall, text: string, more: Partial<ToolResult> = {}): ToolResult => ({
  id: call.id,
  status: "ok",
  content: [{ type: "text", text }],
  ...more,
});
