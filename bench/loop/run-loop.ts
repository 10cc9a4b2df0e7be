import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import type { Provider, ToolBox } from "@/lib/agent/ports";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { type Exchange, type Outcome, system, type Task } from "./tasks";

/** One task in our loop, whatever stands behind its two ports. */
export async function runLoop(
  task: Task,
  { provider, tools, note }: { provider: Provider; tools: ToolBox; note?: (chunk: Chunk) => void },
  history: ChatMessage[] = messagesOf(task, tools),
): Promise<{ outcome: Outcome; history: ChatMessage[] }> {
  const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
  let delta: readonly ChatMessage[] = [];
  const signal = task.signal ?? new AbortController().signal;
  const { maxTurns: maxIterations } = task;
  for await (const chunk of executeWithToolsStream({
    provider,
    tools,
    system,
    history,
    signal,
    maxIterations,
  })) {
    note?.(chunk);
    if (chunk.type === "text") outcome.pieces++;
    else if (chunk.type === "tool_result") outcome.toolResults++;
    else if (chunk.type === "result") {
      const { finalText, stopReason, error, historyDelta } = chunk.result;
      if (error?.code === "internal") throw new Error(error.message);
      outcome.text = finalText;
      outcome.ended = error?.code ?? stopReason;
      delta = historyDelta;
    }
  }
  return { outcome, history: [...history, ...delta] };
}

const starts = new WeakMap<readonly Exchange[], ChatMessage[]>();

function messagesOf({ question, history, pending }: Task, tools: ToolBox): ChatMessage[] {
  const before = starts.get(history) ?? history.flatMap(toMessages);
  starts.set(history, before);
  const messages: ChatMessage[] = [...before, { role: "user", parts: [{ type: "text", text: question }] }];
  if (!pending) return messages;
  const name = tools.list().find((tool) => tool.name.endsWith("echo"))?.name ?? "echo";
  const id = "call_0" as ToolCallId;
  return [
    ...messages,
    { role: "assistant", parts: [{ type: "tool_call", id, name, args: { text: "pending" } }] },
  ];
}

const toMessages = ({ user, model }: Exchange): ChatMessage[] => [
  { role: "user", parts: [{ type: "text", text: user }] },
  { role: "assistant", parts: [{ type: "text", text: model }] },
];
