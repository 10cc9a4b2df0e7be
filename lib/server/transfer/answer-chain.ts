import type { AssistantMessage, ReasoningPart, TextPart, ToolCall, ToolResult } from "@/lib/protocol/message";
import type { ImportedMessage } from "./imported";

/** What an answer of another program consists of, in its order. */
export type AnswerBlock =
  | TextPart
  | ReasoningPart
  /** A call with what came of it; nothing is known of one without a result. */
  | { type: "call"; call: ToolCall; result?: ToolResult };

/**
 * The messages of an answer that the other program keeps as one: calls are followed by their results. The last one has the
 * name of the whole, so that what follows hangs on it.
 */
export function answerChain(
  { id, parentId, ...told }: Omit<ImportedMessage, "message">,
  blocks: readonly AnswerBlock[],
): ImportedMessage[] {
  const messages: ImportedMessage["message"][] = [];
  let parts: AssistantMessage["parts"] = [];
  let results: ToolResult[] = [];
  const close = () => {
    if (parts.length > 0) messages.push({ role: "assistant", parts });
    if (results.length > 0) messages.push({ role: "tool", results });
    [parts, results] = [[], []];
  };
  for (const block of blocks) {
    if (block.type !== "call") {
      if (results.length > 0) close();
      if (block.text !== "") parts.push(block);
    } else {
      parts.push(block.call);
      results.push(block.result ?? { id: block.call.id, status: "unknown", content: [] });
    }
  }
  close();
  return messages.map((message, at) => ({
    ...told,
    id: at === messages.length - 1 ? id : `${id}-${at + 1}`,
    parentId: at === 0 ? parentId : `${id}-${at}`,
    message,
  }));
}
