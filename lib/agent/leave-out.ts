import { tokensOf } from "@/lib/protocol/count-tokens";
import type {
  AssistantMessage,
  ChatMessage,
  FilePart,
  TextPart,
  ToolContent,
  ToolResult,
} from "@/lib/protocol/message";
import { tokensOfMessage } from "./estimate-tokens";
import { readResultTool } from "./trim-results";

/** What becomes of a part that is not sent whole. */
export type Left = "dropped" | { trimmed: number };

/**
 * The message with stand-ins for what is left out, and the same object where nothing is. Contents go, calls and results stay:
 * `id` names the message, `leftOf` is asked for it and for each result and file in it.
 */
export function leaveOut(
  message: ChatMessage,
  id: string,
  leftOf: (id: string) => Left | undefined,
): ChatMessage {
  switch (message.role) {
    case "summary":
      return message;
    case "tool": {
      const results = message.results.map((result) => leaveResult(result, leftOf(result.id)));
      return isSame(results, message.results) ? message : { ...message, results };
    }
    case "assistant": {
      const parts = leaveWords(message, id, leftOf(id));
      return isSame(parts, message.parts) ? message : { ...message, parts };
    }
    case "user": {
      const said = leaveTexts(message.parts, id, leftOf(id));
      const parts = said.map((part) => {
        const file = part.type === "file" ? (part.attachmentId ?? part.id) : undefined;
        return part.type === "file" && file !== undefined && leftOf(file) === "dropped"
          ? standIn(`file${part.name ? ` ${part.name}` : ""}`, file)
          : part;
      });
      return isSame(parts, message.parts) ? message : { ...message, parts };
    }
  }
}

const isSame = (now: readonly unknown[], before: readonly unknown[]): boolean =>
  now.length === before.length && now.every((part, at) => part === before[at]);

const standIn = (what: string, id: string): TextPart => ({
  type: "text",
  text: `[The user left this ${what} out. To read it again, call ${readResultTool} with id "${id}".]`,
});

const cutNote = (characters: number, id: string): TextPart => ({
  type: "text",
  text: `[${characters} characters were left out here by the user; read them with ${readResultTool}, id "${id}".]`,
});

function leaveResult(result: ToolResult, left: Left | undefined): ToolResult {
  if (left === undefined) return result;
  const { structured: _, ...kept } = result;
  if (left === "dropped") return { ...kept, content: [standIn("result", result.id)] };
  const { head, characters } = headOf(result.content, left.trimmed);
  return characters === 0 ? result : { ...kept, content: [...head, cutNote(characters, result.id)] };
}

/** Thoughts beside a call stay: providers refuse the call without those that they have signed. */
function leaveWords(
  { parts }: AssistantMessage,
  id: string,
  left: Left | undefined,
): AssistantMessage["parts"] {
  const said = leaveTexts(parts, id, left);
  const hasCalls = parts.some(({ type }) => type === "tool_call");
  if (left !== "dropped" || hasCalls) return said;
  const words = said.filter(({ type }) => type !== "reasoning");
  return words.length > 0 ? words : [standIn("message", id)];
}

/** The texts as one: a stand-in, or as much of them as fits, stands where the first one stood. */
function leaveTexts<Part extends { type: string }>(
  parts: (Part | TextPart)[],
  id: string,
  left: Left | undefined,
): (Part | TextPart)[] {
  const texts = parts.filter(isText);
  if (left === undefined || texts.every(({ text }) => text === "")) return parts;
  const instead = left === "dropped" ? [standIn("message", id)] : shortened(texts, id, left.trimmed);
  const first = parts.findIndex(isText);
  return parts.flatMap((part, at): (Part | TextPart)[] =>
    at === first ? instead : isText(part) ? [] : [part],
  );
}

const isText = (part: { type: string }): part is TextPart => part.type === "text";

function shortened(texts: TextPart[], id: string, tokens: number): TextPart[] {
  const { head, characters } = headOf(texts, tokens);
  if (characters === 0) return texts;
  const lines = [...head.filter(isText), cutNote(characters, id)].map(({ text }) => text);
  return [{ type: "text", text: lines.join("\n") }];
}

/** What of it is about so many tokens, and how many characters are not in it; a file counts as one of those. */
function headOf(
  content: readonly ToolContent[],
  tokens: number,
): { head: ToolContent[]; characters: number } {
  const head: ToolContent[] = [];
  let [room, characters] = [tokens, 0];
  for (const part of content) {
    // No model reads it.
    if (part.audience === "user") {
      head.push(part);
      continue;
    }
    const needs = part.type === "text" ? tokensOf(part.text) : tokensOfOther(part);
    if (needs <= room) head.push(part);
    else if (part.type === "text") {
      const text = part.text
        .slice(0, Math.floor((part.text.length * room) / needs))
        .replace(/[\uD800-\uDBFF]$/, "");
      if (text !== "") head.push({ type: "text", text });
      characters += part.text.length - text.length;
    } else characters += 1;
    room = Math.max(0, room - needs);
  }
  return { head, characters };
}

const tokensOfOther = (part: Exclude<ToolContent, TextPart>): number =>
  part.type === "file" ? tokensOfMessage({ role: "user", parts: [part as FilePart] }) : tokensOf(part.uri);
