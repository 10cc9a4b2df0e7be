import { singly } from "@/lib/agent/chunks-in";
import type { CallContext, Turn } from "@/lib/agent/ports";
import type { SamplingBlock, SamplingRequest } from "@/lib/mcp/questions/sampling";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { AssistantMessage, ChatMessage, ToolResult, UserMessage } from "@/lib/protocol/message";
import type { Usage } from "@/lib/protocol/usage";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";
import { openModel } from "./run-provider";

const maxNotice = 20_000;

/**
 * What the model of the run writes for a server (MCP `sampling/createMessage`), of which nothing reaches the
 * conversation but its cost. Throws a sentence when the budget of the run is used up or the model fails.
 */
export async function sample(
  deps: RunDeps,
  { row, chain }: LiveRun,
  request: SamplingRequest,
  { emit, signal }: CallContext,
): Promise<Record<string, unknown>> {
  const limit = chain.budgetUsage.overBeforeTurn(row.options.budget ?? {});
  if (limit) throw new Error(`The budget of this run is used up (${limit}).`);
  const model = await openModel(deps, row, request.maxTokens);
  const written = await collect(singly(model.stream(toTurn(request, signal))));
  await emit({ type: "usage", ...written.usage });
  if (written.text)
    await emit({ type: "notice", kind: "sampling", message: written.text.slice(0, maxNotice) });
  const content = [
    ...(written.text || written.calls.length === 0 ? [{ type: "text", text: written.text }] : []),
    ...written.calls,
  ];
  return {
    role: "assistant",
    model: row.model,
    stopReason: written.stopReason,
    content: request.tools ? content : content[0],
  };
}

async function collect(chunks: AsyncIterable<ModelChunk>) {
  let text = "";
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let stopReason = "endTurn";
  const calls: SamplingBlock[] = [];
  for await (const chunk of chunks) {
    if (chunk.type === "text") text += chunk.content;
    else if (chunk.type === "tool_call")
      calls.push({ type: "tool_use", id: chunk.call.id, name: chunk.call.name, input: chunk.call.args });
    else if (chunk.type === "usage") {
      const { inputTokens, outputTokens, cachedInputTokens = 0, cost } = chunk;
      usage = { inputTokens, outputTokens, cachedInputTokens, ...(cost !== undefined && { cost }) };
      if (chunk.stopReason === "max_tokens") stopReason = "maxTokens";
    }
  }
  if (calls.length > 0 && stopReason === "endTurn") stopReason = "toolUse";
  return { text, calls, usage, stopReason };
}

function toTurn(
  { systemPrompt = "", messages, tools = [], toolChoice }: SamplingRequest,
  signal: AbortSignal,
): Turn {
  return {
    system: systemPrompt,
    history: messages.flatMap(toMessages),
    tools,
    signal,
    ...(toolChoice?.mode === "none" && { toolChoice: "none" }),
  };
}

function toMessages({ role, content }: SamplingRequest["messages"][number]): ChatMessage[] {
  if (role === "assistant") return [{ role, parts: content.flatMap(toAssistantPart) }];
  const results = content.flatMap(toResult);
  const parts = content.flatMap(toUserPart);
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(parts.length > 0 ? [{ role, parts }] : []),
  ];
}

function toUserPart(block: SamplingBlock): UserMessage["parts"] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image":
    case "audio":
      return [{ type: "file", mediaType: block.mimeType, data: block.data }];
    case "tool_use":
    case "tool_result":
      return [];
  }
}

function toAssistantPart(block: SamplingBlock): AssistantMessage["parts"] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  if (block.type !== "tool_use") return [];
  return [{ type: "tool_call", id: block.id as ToolCallId, name: block.name, args: block.input }];
}

function toResult(block: SamplingBlock): ToolResult[] {
  if (block.type !== "tool_result") return [];
  const content = block.content.flatMap(toUserPart);
  return [{ id: block.toolUseId as ToolCallId, status: block.isError ? "error" : "ok", content }];
}
