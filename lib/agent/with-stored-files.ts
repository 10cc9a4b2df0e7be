import { referenceTo } from "@/lib/protocol/file-references";
import type { ChatMessage, InlineFile, StoredFile, TextPart, ToolContent } from "@/lib/protocol/message";
import { passThroughAfterFirst, type StartedTurn, untilFirstChunk } from "./pass-through-after-first";
import type { ModelChunks, Provider, Turn } from "./ports";

/** What a stored file holds; undefined when it is gone. `text` is what a model reads of a document. */
export type ReadFile = (
  file: StoredFile,
) => Promise<{ data: string; text?: undefined } | { text: string } | undefined>;

/**
 * Brings stored files to the model: images with their data, documents as their text. The stored history keeps naming
 * them. Where there are tools, the model reads before each file how to hand it to one. Each message is put together once
 * for each run, and stays the same object, by which adapters know it again.
 */
export function withStoredFiles(provider: Provider, read: ReadFile): Provider {
  const whole = new WeakMap<ChatMessage, ChatMessage>();
  const named = new WeakMap<ChatMessage, ChatMessage>();
  const fill = async (message: ChatMessage, hasTools: boolean): Promise<ChatMessage> => {
    const kept = hasTools ? named : whole;
    const known = kept.get(message);
    if (known) return known;
    const filled = await fillMessage(message, read, hasTools);
    kept.set(message, filled);
    return filled;
  };
  return {
    stream(turn) {
      if (!turn.history.some(holdsFile)) return provider.stream(turn);
      const hasTools = turn.tools.length > 0;
      return passThroughAfterFirst(async function* (): AsyncGenerator<ModelChunks, StartedTurn> {
        const history: Turn["history"] = await Promise.all(
          turn.history.map((message) => (holdsFile(message) ? fill(message, hasTools) : message)),
        );
        return yield* untilFirstChunk(provider.stream({ ...turn, history }));
      });
    },
  };
}

type AnyPart = { type: string; attachmentId?: string | undefined; id?: string };

const idOf = (part: AnyPart): string | undefined =>
  part.type === "file" ? (part.attachmentId ?? part.id) : undefined;
const hasId = (part: AnyPart): boolean => idOf(part) !== undefined;

function holdsFile(message: ChatMessage): boolean {
  if (message.role === "user") return message.parts.some(hasId);
  return message.role === "tool" && message.results.some(({ content }) => content.some(hasId));
}

async function fillMessage(message: ChatMessage, read: ReadFile, hasTools: boolean): Promise<ChatMessage> {
  const fillAll = async <Part extends ToolContent>(parts: readonly Part[]) =>
    (await Promise.all(parts.map((part) => fillPart(part, read, hasTools)))).flat();
  if (message.role === "user") return { ...message, parts: await fillAll(message.parts) };
  if (message.role !== "tool") return message;
  const results = message.results.map(async (result) => ({
    ...result,
    content: await fillAll(result.content),
  }));
  return { ...message, results: await Promise.all(results) };
}

async function fillPart<Part extends ToolContent>(
  part: Part,
  read: ReadFile,
  hasTools: boolean,
): Promise<(Part | TextPart | InlineFile)[]> {
  const id = idOf(part);
  // What a server means for people alone is left out by the adapter.
  if (part.type !== "file" || id === undefined || part.audience === "user") return [part];
  const { mediaType, name } = part;
  const title = `File${name ? ` ${name}` : ""}, ${mediaType}`;
  const found = part.attachmentId === undefined ? { data: part.data } : await read(part);
  if (!found) return [textPart(`[${title}: it is no longer there.]`)];
  const note = hasTools ? ` As an argument of a tool: "${referenceTo(id)}".` : "";
  if (found.text !== undefined)
    return [textPart(`[${title}.${note} It reads:]\n${found.text}\n[End of ${name ?? "the file"}.]`)];
  const file: InlineFile = { type: "file", mediaType, data: found.data, ...(name && { name }) };
  return note ? [textPart(`[${title}.${note}]`), file] : [file];
}

const textPart = (text: string): TextPart => ({ type: "text", text });
