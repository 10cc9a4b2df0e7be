import type { ChatMessage, ToolCall } from "@/lib/protocol/message";

/** Characters of a message that can be found; a longer one is found by how it begins. */
export const maxIndexed = 65_536;
/** Levels of arguments. */
const maxDepth = 8;

/**
 * What of a message can be found: questions, answers, names of attached files, names and arguments of calls. Empty for
 * results, and for summaries: what they are about is found where it was said.
 */
export function textOf(message: Pick<ChatMessage, "role"> & object): string {
  const known = message as ChatMessage;
  switch (known.role) {
    case "user":
      return join(known.parts.map((part) => (part.type === "text" ? [part.text] : [part.name ?? ""])));
    case "assistant":
      return join(
        known.parts.map((part) => {
          if (part.type === "tool_call") return ofCall(part);
          return part.type === "text" ? [part.text] : [];
        }),
      );
    case "summary":
    case "tool":
      return "";
  }
}

/** Takes no more than is kept. */
function join(parts: readonly Iterable<string>[]): string {
  let text = "";
  for (const part of parts)
    for (const piece of part) {
      if (piece === "") continue;
      text += text === "" ? piece.slice(0, maxIndexed) : `\n${piece.slice(0, maxIndexed - text.length)}`;
      if (text.length >= maxIndexed) return text.slice(0, maxIndexed);
    }
  return text;
}

function* ofCall({ name, args }: ToolCall): Generator<string> {
  yield name;
  yield* ofValue(args, maxDepth);
}

function* ofValue(value: unknown, depth: number, name = ""): Generator<string> {
  const head = name && `${name}: `;
  if (typeof value === "string") yield head + value;
  else if (typeof value === "number" || typeof value === "boolean") yield `${head}${value}`;
  else if (Array.isArray(value) && depth > 0) for (const each of value) yield* ofValue(each, depth - 1, name);
  else if (typeof value === "object" && value !== null && depth > 0)
    for (const [key, each] of Object.entries(value)) yield* ofValue(each, depth - 1, key);
}
