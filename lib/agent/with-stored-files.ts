import type { ChatMessage, InlineFile, StoredFile, TextPart, ToolContent } from "@/lib/protocol/message";
import { passThroughAfterFirst, type StartedTurn, untilFirstChunk } from "./pass-through-after-first";
import type { ModelChunks, Provider, Turn } from "./ports";

/** What a stored file holds; undefined when it is gone. `text` is what a model reads of a document. */
export type ReadFile = (
  file: StoredFile,
) => Promise<{ data: string; text?: undefined } | { text: string } | undefined>;

/**
 * Brings stored files to the model: images with their data, documents as their text. The stored history keeps naming
 * them. Each message is put together once for each run, and stays the same object, by which adapters know it again.
 */
export function withStoredFiles(provider: Provider, read: ReadFile): Provider {
  const whole = new WeakMap<ChatMessage, ChatMessage>();
  const fill = async (message: ChatMessage): Promise<ChatMessage> => {
    const known = whole.get(message);
    if (known) return known;
    const filled = await fillMessage(message, read);
    whole.set(message, filled);
    return filled;
  };
  return {
    stream(turn) {
      if (!turn.history.some(holdsFile)) return provider.stream(turn);
      return passThroughAfterFirst(async function* (): AsyncGenerator<ModelChunks, StartedTurn> {
        const history: Turn["history"] = await Promise.all(
          turn.history.map((message) => (holdsFile(message) ? fill(message) : message)),
        );
        return yield* untilFirstChunk(provider.stream({ ...turn, history }));
      });
    },
  };
}

const isStored = (part: { type: string; attachmentId?: string | undefined }) =>
  part.type === "file" && part.attachmentId !== undefined;

function holdsFile(message: ChatMessage): boolean {
  if (message.role === "user") return message.parts.some(isStored);
  return message.role === "tool" && message.results.some(({ content }) => content.some(isStored));
}

async function fillMessage(message: ChatMessage, read: ReadFile): Promise<ChatMessage> {
  if (message.role === "user")
    return { ...message, parts: await Promise.all(message.parts.map((part) => fillPart(part, read))) };
  if (message.role !== "tool") return message;
  const results = message.results.map(async (result) => ({
    ...result,
    content: await Promise.all(result.content.map((part) => fillPart(part, read))),
  }));
  return { ...message, results: await Promise.all(results) };
}

async function fillPart<Part extends ToolContent>(
  part: Part,
  read: ReadFile,
): Promise<Part | TextPart | InlineFile> {
  if (part.type !== "file" || part.attachmentId === undefined) return part;
  const { mediaType, name } = part;
  const title = `File${name ? ` ${name}` : ""}, ${mediaType}`;
  const found = await read(part);
  if (!found) return { type: "text", text: `[${title}: it is no longer there.]` };
  if (found.text === undefined) return { type: "file", mediaType, data: found.data, ...(name && { name }) };
  return { type: "text", text: `[${title}. It reads:]\n${found.text}\n[End of ${name ?? "the file"}.]` };
}
