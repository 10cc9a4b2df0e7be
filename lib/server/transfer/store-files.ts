import type { LeftOutKind } from "@/lib/protocol/imports";
import type { ChatMessage, FilePart, TextPart, ToolContent } from "@/lib/protocol/message";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { cleanName, maxFileBytes, toPart } from "@/lib/server/attachments/attachments";
import { inspectFile } from "@/lib/server/attachments/inspect-file";
import { HttpError } from "@/lib/server/http/errors";
import type { AttachmentRow } from "@/lib/store/types";
import type { ImportedFile } from "./imported";

/** Files of a conversation under the names that its messages have for them. */
export type StoredFiles = ReadonlyMap<string, AttachmentRow>;

/** Ids of the files that a message names. */
export function filesNamed(message: ChatMessage): string[] {
  const content: readonly (FilePart | { type: "text" | "resource_link" })[] =
    message.role === "user"
      ? message.parts
      : message.role === "tool"
        ? message.results.flatMap((result) => result.content)
        : [];
  return content.flatMap((part) => (part.type === "file" && part.attachmentId ? [part.attachmentId] : []));
}

/**
 * Writes the bytes, checked as an upload is; without a row they are nobody's yet, and are swept away after a crash. Or why
 * there is no such file.
 */
export async function storeFile(
  files: AttachmentFiles,
  file: ImportedFile,
  owned: Pick<AttachmentRow, "id" | "userId" | "conversationId" | "createdAt">,
): Promise<AttachmentRow | LeftOutKind> {
  const bytes = await file.open();
  if (!bytes) return "missing_file";
  const { id } = owned;
  const name = cleanName(file.name);
  try {
    const { source, size } = await files.receive(id, atMost(bytes));
    if (size === 0) throw new HttpError(400, "invalid_input", `${name} is empty.`);
    const { mediaType, text } = await inspectFile(source, name, file.mediaType, files.pdfs);
    await files.keep(id, text);
    return { ...owned, projectId: null, name, mediaType, size, characters: text?.length ?? null };
  } catch (cause) {
    await files.delete([id]);
    if (cause instanceof HttpError && cause.status < 500) return "refused_file";
    throw cause;
  }
}

async function* atMost(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > maxFileBytes) throw new HttpError(413, "body_too_large", "A file may have at most 20 MB.");
    yield piece;
  }
}

/** The message with its files as they are stored; of one that is not there its name stays. */
export function withFiles(message: ChatMessage, stored: StoredFiles, names: ReadonlyMap<string, string>) {
  const replace = <Part extends ToolContent>(part: Part): Part | TextPart => {
    if (part.type !== "file" || part.attachmentId === undefined) return part;
    const row = stored.get(part.attachmentId);
    if (row) return { ...part, ...toPart(row) };
    return { type: "text", text: `[${cleanName(names.get(part.attachmentId) ?? part.name ?? "file")}]` };
  };
  if (message.role === "user") return { ...message, parts: message.parts.map(replace) };
  if (message.role !== "tool") return message;
  return {
    ...message,
    results: message.results.map((result) => ({ ...result, content: result.content.map(replace) })),
  };
}
