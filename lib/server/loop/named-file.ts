import type { Chunk } from "@/lib/protocol/chunk";
import { referenceTo } from "@/lib/protocol/file-references";
import type { ChatMessage, InlineFile, ToolResult } from "@/lib/protocol/message";
import type { RunDeps } from "./run-deps";

/** The conversation whose files a call may name. */
export interface FilePlace {
  userId: string;
  conversationId: string;
  /** A small file of a tool, which stands in the history itself. */
  findInline(id: string): InlineFile | undefined | Promise<InlineFile | undefined>;
}

/** A file of a conversation that can be handed to a tool. */
export interface NamedFile {
  id: string;
  name: string;
  mediaType: string;
  /** Bytes. */
  size: number;
  /** Of one that stands in the history, in base64. */
  data?: string;
}

/** Undefined for one that is gone, of another conversation or of somebody else: nothing tells these apart. */
export async function findFile(
  { store, files }: Pick<RunDeps, "store" | "files">,
  { userId, conversationId, findInline }: FilePlace,
  id: string,
): Promise<NamedFile | undefined> {
  const row = await store.attachments.get(userId, id);
  if (row) {
    const { name, mediaType, size } = row;
    const isHere = row.conversationId === conversationId && (await files.has(id));
    return isHere ? { id, name, mediaType, size } : undefined;
  }
  const inline = await findInline(id);
  if (!inline) return undefined;
  const { data, mediaType } = inline;
  const name = inline.name ?? `file.${mediaType.split("/").at(-1)}`;
  return { id, name, mediaType, size: Buffer.byteLength(data, "base64"), data };
}

/** The small file with this id among the results of tools. */
export function inlineFileIn(
  id: string,
  history: Iterable<ChatMessage>,
  ...logs: Iterable<Chunk>[]
): InlineFile | undefined {
  const of = ({ content }: ToolResult) =>
    content.find(
      (part): part is InlineFile => part.type === "file" && part.data !== undefined && part.id === id,
    );
  for (const message of history)
    for (const result of message.role === "tool" ? message.results : []) {
      const found = of(result);
      if (found) return found;
    }
  for (const log of logs)
    for (const chunk of log) {
      const found = chunk.type === "tool_result" && of(chunk.result);
      if (found) return found;
    }
  return undefined;
}

export const missingInWords = (id: string): string =>
  `There is no file ${referenceTo(id)} in this conversation (any more). Name one that is there, or ask for it to be attached`;
