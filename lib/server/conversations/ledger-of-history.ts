import { tokensOfMessage } from "@/lib/agent/estimate-tokens";
import { tokensAround } from "@/lib/protocol/count-tokens";
import type { LedgerPart } from "@/lib/protocol/ledger";
import type { ChatMessage, FilePart, ToolCall, ToolMessage, UserMessage } from "@/lib/protocol/message";
import { isQuestion } from "@/lib/server/loop/steering";
import type { MessageRow } from "@/lib/store/types";

/**
 * The parts of a branch: messages, results by call and files by name. `shown`: its messages after the last summary, `sent`:
 * the same, at the same places, as they go to the model.
 */
export function partsOfHistory(
  rows: readonly MessageRow[],
  shown: readonly ChatMessage[],
  sent: readonly ChatMessage[],
): LedgerPart[] {
  const asSent = new Map(shown.map((message, at) => [message, sent[at] ?? message]));
  const calls = callsIn(rows);
  const replaced: string[] = [];
  const newest = rows.findLast(({ message }) => message.role === "summary");
  const parts: LedgerPart[] = [];
  let turn = 0;
  for (const row of rows) {
    if (isQuestion(row)) turn += 1;
    const { id, message } = row;
    const now = asSent.get(message);
    if (message.role === "summary") {
      const tokens = now ? tokensOfMessage(message) : 0;
      const full = tokensOfMessage(message);
      parts.push({
        kind: "summary",
        id,
        turn,
        tokens,
        full,
        // The newest stands for all before it: said of each of thousands it would be as much as their square.
        ...(row === newest && { replaces: [...replaced] }),
        state: stateOf(tokens, full),
      });
    } else if (message.role === "tool")
      parts.push(...partsOfResults(message, now?.role === "tool" ? now : undefined, calls, turn));
    else parts.push(...partsOfMessage(id, message, now !== undefined, turn));
    if (!now && message.role !== "summary") replaced.push(id);
  }
  return parts;
}

function callsIn(rows: readonly MessageRow[]): ReadonlyMap<string, ToolCall> {
  const calls = new Map<string, ToolCall>();
  for (const { message } of rows)
    if (message.role === "assistant")
      for (const part of message.parts) if (part.type === "tool_call") calls.set(part.id, part);
  return calls;
}

/** A result without its message: what surrounds a message is counted once for each. */
function partsOfResults(
  { results }: ToolMessage,
  sent: ToolMessage | undefined,
  calls: ReadonlyMap<string, ToolCall>,
  turn: number,
): LedgerPart[] {
  return results.map((result, at) => {
    const call = calls.get(result.id);
    const now = sent?.results[at];
    const tokens = now ? tokensOfMessage({ role: "tool", results: [now] }) : 0;
    const full = tokensOfMessage({ role: "tool", results: [result] });
    return {
      ...{ kind: "result", id: result.id, turn },
      ...(call?.server !== undefined && { server: call.server }),
      ...(call && { name: call.tool ?? call.name }),
      ...{ tokens, full, state: stateOf(tokens, full) },
    };
  });
}

function partsOfMessage(
  id: string,
  message: Exclude<ChatMessage, ToolMessage | { role: "summary" }>,
  isSent: boolean,
  turn: number,
): LedgerPart[] {
  const files = message.role === "user" ? message.parts.filter((part) => part.type === "file") : [];
  const ofFiles = files.map((file) => partOfFile(file, isSent, turn));
  const whole = tokensOfMessage(message);
  const full = whole - ofFiles.reduce((sum, file) => sum + file.full, 0);
  const tokens = isSent ? full : 0;
  return [{ kind: "message", id, turn, tokens, full, state: stateOf(tokens, full) }, ...ofFiles];
}

function partOfFile(file: FilePart, isSent: boolean, turn: number): LedgerPart {
  const alone: UserMessage = { role: "user", parts: [file] };
  const full = tokensOfMessage(alone) - tokensAround;
  const tokens = isSent ? full : 0;
  return {
    ...{ kind: "file", id: file.attachmentId ?? file.id ?? "", turn },
    ...(file.name !== undefined && { name: file.name }),
    ...{ tokens, full, state: stateOf(tokens, full) },
  };
}

const stateOf = (tokens: number, full: number): LedgerPart["state"] =>
  tokens === full ? "kept" : tokens === 0 ? "dropped" : { trimmed: tokens };
