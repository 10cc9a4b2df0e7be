import type { ChosenContext, SentMessage } from "@/lib/agent/chosen-context";
import { tokensOfMessage } from "@/lib/agent/estimate-tokens";
import type { ContextChoice } from "@/lib/protocol/context-choice";
import { tokensAround } from "@/lib/protocol/count-tokens";
import type { LedgerPart } from "@/lib/protocol/ledger";
import type {
  AssistantMessage,
  ChatMessage,
  FilePart,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "@/lib/protocol/message";
import { isQuestion } from "@/lib/server/loop/steering";
import type { MessageRow } from "@/lib/store/types";

/**
 * The parts of a branch: messages, results by call and files by name. `messages`: those that are sent, `sent`: at the same places
 * what is sent of them.
 */
export function partsOfHistory(
  rows: readonly MessageRow[],
  chosen: ChosenContext,
  messages: readonly SentMessage[],
  sent: readonly ChatMessage[],
): LedgerPart[] {
  const asSent = new Map(messages.map(({ stored, again }, at) => [stored, { now: sent[at], again }]));
  const calls = callsIn(rows);
  const replaced: string[] = [];
  const { at: newest, start = 0 } = chosen.newestSummary(rows.map(({ message }) => message)) ?? {};
  const parts: LedgerPart[] = [];
  let turn = 0;
  for (const [at, row] of rows.entries()) {
    if (isQuestion(row)) turn += 1;
    const { id, message } = row;
    const { now, again } = asSent.get(message) ?? {};
    const told: Told = {
      turn,
      ...(at < start && { isReplaced: true as const }),
      stateOf: (part, tokens, full) => stateOf(chosen.choiceOf(part), tokens, full, again !== undefined),
    };
    if (message.role === "summary") {
      const full = tokensOfMessage(message);
      parts.push({
        ...{ kind: "summary", id, turn, tokens: now ? full : 0, full, state: now ? "kept" : "dropped" },
        // The newest stands for all before it: said of each of thousands it would be as much as their square.
        ...(at === newest && { replaces: [...replaced] }),
      });
    } else if (message.role === "tool")
      parts.push(...partsOfResults(message, now?.role === "tool" ? now : undefined, calls, told));
    else parts.push(...partsOfMessage(id, message, now, told));
    if ((!now || again) && message.role !== "summary") replaced.push(id);
  }
  return parts;
}

/** Of all parts of a message: its question, and how one is said to be sent. */
interface Told {
  turn: number;
  isReplaced?: true;
  stateOf(id: string, tokens: number, full: number): LedgerPart["state"];
}

/** `isAgain`: it stands in a round that a summary replaced and that is sent for another part of it. */
function stateOf(
  choice: ContextChoice | undefined,
  tokens: number,
  full: number,
  isAgain: boolean,
): LedgerPart["state"] {
  if (choice === "pinned" || choice === "dropped") return choice;
  if (tokens === full) return "kept";
  return tokens === 0 || (isAgain && choice === undefined) ? "dropped" : { trimmed: tokens };
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
  { stateOf, ...told }: Told,
): LedgerPart[] {
  return results.map((result, at) => {
    const call = calls.get(result.id);
    const now = sent?.results[at];
    const tokens = now ? tokensOfMessage({ role: "tool", results: [now] }) : 0;
    const full = tokensOfMessage({ role: "tool", results: [result] });
    return {
      ...{ kind: "result", id: result.id, ...told },
      ...(call?.server !== undefined && { server: call.server }),
      ...(call && { name: call.tool ?? call.name }),
      ...{ tokens, full, state: stateOf(result.id, tokens, full) },
    };
  });
}

function partsOfMessage(
  id: string,
  message: Exclude<ChatMessage, ToolMessage | { role: "summary" }>,
  now: ChatMessage | undefined,
  told: Told,
): LedgerPart[] {
  const { stateOf, ...place } = told;
  const files = message.role === "user" ? message.parts.filter((part) => part.type === "file") : [];
  const ofFiles = files.map((file) => partOfFile(file, now, told));
  const full = tokensOfMessage(message) - ofFiles.reduce((sum, file) => sum + file.full, 0);
  const tokens = now ? tokensOfMessage(now) - ofFiles.reduce((sum, file) => sum + file.tokens, 0) : 0;
  const name = beginningOf(message);
  return [
    {
      ...{ kind: "message", id, ...place, by: message.role },
      ...(name !== "" && { name }),
      ...{ tokens, full, state: stateOf(id, tokens, full) },
    },
    ...ofFiles,
  ];
}

const maxBeginning = 80;

/** Enough of its words to know it by. */
function beginningOf(message: UserMessage | AssistantMessage): string {
  for (const part of message.parts) {
    const text =
      part.type === "text"
        ? part.text
            .slice(0, 4 * maxBeginning)
            .replaceAll(/\s+/g, " ")
            .trim()
        : "";
    if (text !== "") return [...text].slice(0, maxBeginning).join("");
  }
  return "";
}

function partOfFile(file: FilePart, now: ChatMessage | undefined, { stateOf, ...told }: Told): LedgerPart {
  const id = file.attachmentId ?? file.id ?? "";
  const full = tokensOfMessage({ role: "user", parts: [file] }) - tokensAround;
  // The few words in its place count with the message.
  const isSent = now?.role === "user" && now.parts.includes(file);
  const tokens = isSent ? full : 0;
  return {
    ...{ kind: "file", id, ...told },
    ...(file.name !== undefined && { name: file.name }),
    ...{ tokens, full, state: stateOf(id, tokens, full) },
  };
}
