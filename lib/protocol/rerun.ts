import type { ToolCallId } from "./ids";
import type { ChatMessage } from "./message";

/** A call of an answer that runs again, as a new call: two tries never share an id. */
export interface Rerun {
  call: ToolCallId;
  /** Id of the new try. */
  as: ToolCallId;
}

/** A message of the new answer; `at` is the index of the message that it comes from. */
export interface KeptMessage {
  at: number;
  message: ChatMessage;
}

/**
 * What stays of the messages when a call runs again: all before it, the message that asks for it, and the results of the
 * other calls of its round. The call is open then, under its new id. Undefined when there is no such call.
 */
export function keepBefore(messages: readonly ChatMessage[], rerun: Rerun): KeptMessage[] | undefined {
  const asking = messages.findIndex((message) => asksFor(message, rerun.call));
  if (asking < 0) return undefined;
  const kept = messages.slice(0, asking + 1).map((message, at) => ({ message: renamed(message, rerun), at }));
  for (let at = asking + 1; messages[at]?.role === "tool"; at++) {
    const message = without(messages[at], rerun.call);
    if (message) kept.push({ at, message });
  }
  return kept;
}

export const asksFor = (message: ChatMessage, id: ToolCallId): boolean =>
  message.role === "assistant" && message.parts.some((part) => part.type === "tool_call" && part.id === id);

function renamed(message: ChatMessage, { call, as }: Rerun): ChatMessage {
  if (!asksFor(message, call) || message.role !== "assistant") return message;
  const parts = message.parts.map((part) =>
    part.type === "tool_call" && part.id === call ? { ...part, id: as } : part,
  );
  return { ...message, parts };
}

function without(message: ChatMessage | undefined, call: ToolCallId): ChatMessage | undefined {
  if (message?.role !== "tool") return undefined;
  const results = message.results.filter(({ id }) => id !== call);
  return results.length > 0 ? { ...message, results } : undefined;
}
