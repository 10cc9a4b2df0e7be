import type { AttachmentItem } from "@/lib/protocol/http";
import type { StoredFile } from "@/lib/protocol/message";
import { readBytes } from "@/lib/server/body";
import type { Deps } from "@/lib/server/deps";
import { HttpError, notFound } from "@/lib/server/errors";
import { newId } from "@/lib/server/ids";
import type { AttachmentRow } from "@/lib/store/types";
import { inspectFile } from "./inspect-file";

/** Bytes of one file. */
const maxBytes = 20 * 1024 * 1024;
/** Uploads that no message has taken up: more is no person. */
const maxLoose = 200;
const looseForMs = 24 * 60 * 60_000;
const maxName = 200;

type Parts = Pick<Deps, "store" | "files">;

/** Stores the raw body of a request as a file that messages can name. */
export async function uploadAttachment(
  { store, files }: Parts,
  userId: string,
  request: Request,
): Promise<AttachmentItem> {
  await files.delete(await store.attachments.deleteLoose(Date.now() - looseForMs));
  if ((await store.attachments.countLoose(userId)) >= maxLoose)
    throw new HttpError(
      429,
      "too_many_attachments",
      "Too many files wait for a message; send what is attached, or come back tomorrow.",
    );
  const name = readName(request.headers.get("x-filename"));
  const bytes = await readBytes(request, maxBytes, `${name} is too large; a file may have at most 20 MB.`);
  if (bytes.byteLength === 0) throw new HttpError(400, "invalid_input", `${name} is empty.`);
  const declared = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const { mediaType, text } = await inspectFile(bytes, name, declared);
  const row: AttachmentRow = {
    id: newId(),
    userId,
    conversationId: null,
    name,
    mediaType,
    size: bytes.byteLength,
    characters: text?.length ?? null,
    createdAt: Date.now(),
  };
  await files.write(row.id, bytes, text);
  await store.attachments.add(row);
  return { id: row.id, name, mimeType: mediaType, size: row.size };
}

/** The file as an answer that no browser takes for a page of ours. */
export async function sendAttachment({ store, files }: Parts, userId: string, id: string): Promise<Response> {
  const row = await store.attachments.get(userId, id);
  const bytes = row && (await files.read(id).catch(() => undefined));
  if (!row || !bytes) throw notFound("attachment");
  const shown = /^image\/(png|jpeg|gif|webp)$/.test(row.mediaType);
  return new Response(new Uint8Array(bytes), {
    headers: {
      "Content-Type": shown ? row.mediaType : "application/octet-stream",
      "Content-Length": String(bytes.byteLength),
      "Content-Disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(row.name)}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      // What stands behind an id never changes; shared copies are not for caches on the way.
      "Cache-Control": "private, max-age=31536000, immutable",
    },
  });
}

/** The parts of a message for what it attaches; a file of another conversation comes along as a copy. */
export async function attachedParts(
  deps: Parts,
  userId: string,
  attachments: readonly { id: string }[],
  conversationId: string,
): Promise<StoredFile[]> {
  const parts: StoredFile[] = [];
  for (const [at, { id }] of attachments.entries()) {
    const row = await deps.store.attachments.get(userId, id);
    if (!row)
      throw new HttpError(
        404,
        "not_found",
        `message.attachments.${at}: this file is no longer there; attach it again.`,
      );
    const isFree = row.conversationId === null || row.conversationId === conversationId;
    parts.push(toPart(isFree ? row : await copyAttachment(deps, row, null)));
  }
  return parts;
}

/** The same file under an id of its own. */
export async function copyAttachment(
  { store, files }: Parts,
  row: AttachmentRow,
  conversationId: string | null,
  userId = row.userId,
): Promise<AttachmentRow> {
  const copy = { ...row, id: newId(), userId, conversationId, createdAt: Date.now() };
  await files.copy(row.id, copy.id, row.characters !== null);
  await store.attachments.add(copy);
  return copy;
}

export const toPart = ({ id, mediaType, size, characters, name }: AttachmentRow): StoredFile => ({
  type: "file",
  mediaType,
  attachmentId: id,
  size,
  ...(characters !== null && { characters }),
  name,
});

/** Header values are Latin letters only, so names come percent-encoded. */
function readName(header: string | null): string {
  // No form of another site can send it: with it a browser asks before.
  if (header === null)
    throw new HttpError(400, "invalid_input", "X-Filename: send the file's name, percent-encoded.");
  let name = header;
  try {
    name = decodeURIComponent(name);
  } catch {
    // It holds a percent sign of its own.
  }
  const clean = (name.split(/[/\\]/).at(-1) ?? "")
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
  // By whole characters: half of one cannot be put into a header.
  return [...clean].slice(-maxName).join("") || "file";
}
