import { addCost } from "@/lib/agent/add-cost";
import { tokensOfTurn } from "@/lib/agent/estimate-tokens";
import type { CallContext, Turn } from "@/lib/agent/ports";
import { withRetry } from "@/lib/agent/with-retry";
import { withTurnTimeouts } from "@/lib/agent/with-timeouts";
import type { SamplingBlock, SamplingRequest } from "@/lib/mcp/questions/sampling";
import type { ModelChunk, Usage } from "@/lib/protocol/chunk";
import { tokensOf } from "@/lib/protocol/count-tokens";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { AssistantMessage, ChatMessage, ToolResult, UserMessage } from "@/lib/protocol/message";
import { priceOf } from "@/lib/server/settings/prices";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";

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
  const limit = chain.spent.overBeforeTurn(row.options.budget ?? {});
  if (limit) throw new Error(`The budget of this run is used up (${limit}).`);
  const provider = withRetry(withTurnTimeouts(deps.providers.provider(row.model)));
  const turn = toTurn(request, signal);
  const written = await collect(provider.stream(turn), turn, request.maxTokens);
  const price = await priceOf(deps, row.userId, row.model);
  const usage: ModelChunk = { type: "usage", ...written.usage };
  await emit(price ? addCost(price)(usage) : usage);
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

/** Providers take no limit of tokens: past it the rest is not waited for. */
async function collect(chunks: AsyncIterable<ModelChunk>, turn: Turn, maxTokens: number) {
  let text = "";
  let usage: Usage | undefined;
  let stopReason = "endTurn";
  const calls: SamplingBlock[] = [];
  for await (const chunk of chunks) {
    if (chunk.type === "text") text += chunk.content;
    else if (chunk.type === "tool_call")
      calls.push({ type: "tool_use", id: chunk.call.id, name: chunk.call.name, input: chunk.call.args });
    else if (chunk.type === "usage") {
      const { inputTokens, outputTokens, cachedInputTokens = 0 } = chunk;
      usage = { inputTokens, outputTokens, cachedInputTokens };
      if (chunk.stopReason === "max_tokens") stopReason = "maxTokens";
    }
    if (tokensOf(text) < maxTokens) continue;
    stopReason = "maxTokens";
    break;
  }
  if (calls.length > 0 && stopReason === "endTurn") stopReason = "toolUse";
  // Cut short, it does not say what it took.
  usage ??= { inputTokens: tokensOfTurn(turn), outputTokens: tokensOf(text) };
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
