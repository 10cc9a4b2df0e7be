import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolMessage, ToolResult } from "@/lib/protocol/message";
import { tokensOfMessage } from "./estimate-tokens";

/** Shorter results cost about as much as a placeholder. */
const worthTrimming = 200;

/** Name of the built-in tool that reads a trimmed result again. */
export const readResultTool = "meguri__read_result";

export interface Trimmed {
  history: readonly ChatMessage[];
  /** Results that the model now reads a placeholder of. */
  ids: ToolCallId[];
}

const standIns = new WeakMap<ToolMessage, ToolMessage>();

/**
 * Replaces old results by short placeholders, oldest first, until `excess` tokens are saved or none is left; those
 * of the last round stay. What is stored is not touched, and the same message gets the same placeholder each time, so that
 * providers can go on using what they have cached.
 */
export function trimResults(
  history: readonly ChatMessage[],
  excess: number,
  isPinned: (id: ToolCallId) => boolean = () => false,
): Trimmed {
  const lastRound = history.findLastIndex(({ role }) => role === "assistant");
  const ids: ToolCallId[] = [];
  let saved = 0;
  const trimmed = history.map((message, index) => {
    if (saved >= excess || index > lastRound || message.role !== "tool") return message;
    if (tokensOfMessage(message) < worthTrimming) return message;
    const short = shortened(message, isPinned);
    if (short === message) return message;
    saved += tokensOfMessage(message) - tokensOfMessage(short);
    for (const [at, result] of short.results.entries())
      if (result !== message.results[at]) ids.push(result.id);
    return short;
  });
  return { history: trimmed, ids };
}

function shortened(message: ToolMessage, isPinned: (id: ToolCallId) => boolean): ToolMessage {
  const pinned = message.results.filter(({ id }) => isPinned(id));
  if (pinned.length === message.results.length) return message;
  const known = pinned.length === 0 ? standIns.get(message) : undefined;
  const short = known ?? shorten(message, new Set(pinned));
  if (pinned.length === 0) standIns.set(message, short);
  return short;
}

const shorten = ({ role, results }: ToolMessage, pinned: ReadonlySet<ToolResult>): ToolMessage => ({
  role,
  results: results.map((result) =>
    pinned.has(result) || tokensOfMessage({ role, results: [result] }) < worthTrimming
      ? result
      : standIn(result),
  ),
});

function standIn({ structured: _, ...result }: ToolResult): ToolResult {
  const [first] = result.content;
  const start =
    first?.type === "text" ? ` It began: ${first.text.slice(0, 120).replaceAll(/\s+/g, " ")}…` : "";
  const text = `[This result was left out to make room.${start} To read it again, call ${readResultTool} with id "${result.id}".]`;
  return { ...result, content: [{ type: "text", text }] };
}

/** The largest results cut to their beginning and end, those of the last round as well, so that each is at most so long. */
export function cutResults(
  history: readonly ChatMessage[],
  maxCharacters: number,
  isPinned: (id: ToolCallId) => boolean = () => false,
): Trimmed {
  const ids: ToolCallId[] = [];
  const half = Math.floor(maxCharacters / 2);
  const cut = history.map((message) => {
    if (message.role !== "tool") return message;
    let changed = false;
    const results = message.results.map((result) => {
      if (isPinned(result.id)) return result;
      const content = result.content.map((part) => {
        if (part.type !== "text" || part.text.length <= maxCharacters) return part;
        const left = part.text.length - 2 * half;
        const note = `\n[${left} characters left out; read them with ${readResultTool}, id "${result.id}".]\n`;
        return { ...part, text: part.text.slice(0, half) + note + part.text.slice(-half) };
      });
      if (content.every((part, at) => part === result.content[at])) return result;
      changed = true;
      ids.push(result.id);
      return { ...result, content };
    });
    return changed ? { ...message, results } : message;
  });
  return { history: cut, ids };
}
