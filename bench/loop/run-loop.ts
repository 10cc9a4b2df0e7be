import { chunksIn } from "@/lib/agent/chunks-in";
import { executeInSteps, type LoopRequest } from "@/lib/agent/execute-with-tools-stream";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { type Exchange, type Outcome, system, type Task } from "./tasks";

/** What stands behind the loop, and who is told of each chunk before the next one is asked for. */
interface Loop extends Pick<LoopRequest, "provider" | "tools" | "sent" | "timeUsedMs"> {
  write?: (chunk: Chunk) => Promise<void>;
}

/** One task in our loop, whatever stands behind its two ports. */
export async function runLoop(
  { maxTurns: maxIterations, signal = new AbortController().signal }: Pick<Task, "maxTurns" | "signal">,
  { write, ...loop }: Loop,
  history: ChatMessage[],
): Promise<{ outcome: Outcome; history: ChatMessage[] }> {
  const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
  let delta: readonly ChatMessage[] = [];
  for await (const step of executeInSteps({ ...loop, system, history, signal, maxIterations }))
    for (const chunk of chunksIn(step)) {
      if (write) await write(chunk);
      if (chunk.type === "text") outcome.pieces++;
      else if (chunk.type === "tool_result") outcome.toolResults += Number(chunk.result.status === "ok");
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

/** New for each conversation, as a store gives them; `echo` is what its tool is called. */
export function messagesOf({ question, history, pending }: Task, echo: string): ChatMessage[] {
  const messages: ChatMessage[] = [
    ...history.flatMap(toMessages),
    { role: "user", parts: [{ type: "text", text: question }] },
  ];
  if (!pending) return messages;
  const id = "call_0" as ToolCallId;
  const args = { text: "pending" };
  return [...messages, { role: "assistant", parts: [{ type: "tool_call", id, name: echo, args }] }];
}

const toMessages = ({ user, model }: Exchange): ChatMessage[] => [
  { role: "user", parts: [{ type: "text", text: user }] },
  { role: "assistant", parts: [{ type: "text", text: model }] },
];
