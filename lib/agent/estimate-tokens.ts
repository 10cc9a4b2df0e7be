import { tokensAround as overhead, tokensOf, tokensOfTool } from "@/lib/protocol/count-tokens";
import { modelContent } from "@/lib/protocol/history";
import type { ChatMessage, FilePart, TextPart } from "@/lib/protocol/message";
import type { Turn } from "./ports";

/** What providers charge for an image of common size, about. */
const tokensOfImage = 1_500;
const counted = new WeakMap<ChatMessage, { results: number; tokens: number }>();

/** Counted once for each message, so that a long history costs no more than a short one. */
export function tokensOfMessage(message: ChatMessage): number {
  const results = message.role === "tool" ? message.results.length : 0;
  const known = counted.get(message);
  if (known?.results === results) return known.tokens;
  const tokens = count(message);
  counted.set(message, { results, tokens });
  return tokens;
}

/** System prompt, tools and history. */
export function tokensOfTurn({ system, tools, history }: Pick<Turn, "system" | "tools" | "history">): number {
  let tokens = tokensOf(system);
  for (const tool of tools) tokens += tokensOfTool(tool);
  for (const message of history) tokens += tokensOfMessage(message);
  return tokens;
}

function count(message: ChatMessage): number {
  switch (message.role) {
    case "summary":
      return tokensOf(message.text) + overhead;
    case "tool":
      return message.results.reduce((sum, result) => sum + tokensOfParts(modelContent(result)) + overhead, 0);
    case "user":
      return tokensOfParts(message.parts) + overhead;
    case "assistant":
      return message.parts.reduce(
        (sum, part) =>
          sum +
          (part.type === "tool_call"
            ? tokensOf(part.name) + tokensOf(part.malformed ?? JSON.stringify(part.args)) + overhead
            : tokensOf(part.text)),
        overhead,
      );
  }
}

const tokensOfParts = (parts: readonly (TextPart | FilePart)[]): number =>
  parts.reduce((sum, part) => sum + (part.type === "file" ? tokensOfFile(part) : tokensOf(part.text)), 0);

/** A document by its text, taken for Latin script; everything else as an image. */
const tokensOfFile = (part: FilePart): number =>
  part.attachmentId !== undefined && part.characters ? Math.ceil(part.characters / 4) : tokensOfImage;
