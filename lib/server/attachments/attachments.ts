import type { AttachmentItem } from "@/lib/protocol/http";
import type { StoredFile } from "@/lib/protocol/message";
import type { BaseDeps } from "@/lib/server/base-deps";
import { readPieces } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import type { AttachmentRow } from "@/lib/store/types";
import type { AttachmentFiles } from "./attachment-files";
import { inspectFile } from "./inspect-file";

const megabyte = 1024 * 1024;
/** Bytes of one file. */
export const maxFileBytes = 20 * megabyte;
/** Uploads that no message has taken up: more is no person. */
const maxLoose = 200;
const looseForMs = 24 * 60 * 60_000;
const maxName = 200;

/** Attached files: their rows and their bytes. */
export type FileDeps = Pick<BaseDeps, "store"> & { files: AttachmentFiles };

/** Stores the raw body of a request as a file that messages can name. */
export async function uploadAttachment(
  { store, files }: FileDeps,
  userId: string,
  request: Request,
): Promise<AttachmentItem> {
  await files.delete(await store.attachments.deleteLoose(Date.now() - looseForMs));
  if ((await store.attachments.countLoose(userId)) >= maxLoose)
    throw new HttpError(
      429,
      "too_many_attachments",
      "Too many files are waiting to be sent; send what is attached, or try again tomorrow.",
    );
  const name = readName(request.headers.get("x-filename"));
  const declared = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const pieces = readPieces(request, maxFileBytes, tooLarge(name));
  const { id, mediaType, size } = await keepLoose({ store, files }, { userId, name, declared, pieces });
  return { id, name, mimeType: mediaType, size };
}

export const tooLarge = (name: string): string => `${name} is too large; a file may have at most 20 MB.`;

interface NewFile extends Pick<AttachmentRow, "userId" | "name"> {
  /** The type that its sender says. */
  declared: string;
  pieces: AsyncIterable<Uint8Array>;
}

/** Stores a file that no message has taken up yet; throws what `inspectFile` throws, and 507 where there is no room. */
export function keepLoose({ store, files }: FileDeps, file: NewFile): Promise<AttachmentRow> {
  const id = files.newId();
  return files.uploads.run(async () => {
    try {
      return await receive({ store, files }, { id, ...file });
    } catch (cause) {
      await files.delete([id]);
      throw cause;
    }
  });
}

/** The bytes are stored as they come: however many are sent at once, none of them is held in memory. */
async function receive(
  { store, files }: FileDeps,
  { declared, pieces, ...named }: NewFile & Pick<AttachmentRow, "id">,
): Promise<AttachmentRow> {
  const { id, name } = named;
  const { source, size } = await files.receive(id, pieces);
  if (size === 0) throw new HttpError(400, "invalid_input", `${name} is empty.`);
  const { mediaType, text } = await inspectFile(source, name, declared, files.pdfs);
  const row: AttachmentRow = {
    ...named,
    conversationId: null,
    projectId: null,
    mediaType,
    size,
    characters: text?.length ?? null,
    createdAt: Date.now(),
  };
  await files.keep(id, text);
  const most = await files.maxBytesOf(row.userId);
  if (!(await store.attachments.add(row, most))) throw attachmentsFull(most);
  return row;
}

/** The parts of a message for what it attaches; a file of another conversation comes along as a copy. */
export async function attachedParts(
  deps: FileDeps,
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
    const isFree = isLoose(row) || row.conversationId === conversationId;
    parts.push(toPart(isFree ? row : await copyAttachment(deps, row, null)));
  }
  return parts;
}

export const isPicture = ({ mediaType }: Pick<AttachmentRow, "mediaType">): boolean =>
  /^image\/(png|jpeg|gif|webp)$/.test(mediaType);

/** Taken up by no message and no project. */
export const isLoose = ({ conversationId, projectId }: AttachmentRow): boolean =>
  conversationId === null && projectId === null;

/** A copy of the file with a new id. */
export async function copyAttachment(
  { store, files }: FileDeps,
  row: AttachmentRow,
  conversationId: string | null,
): Promise<AttachmentRow> {
  const copy = copyOf(files, row, { conversationId });
  await files.copy(row.id, copy.id, row.characters !== null);
  return added({ store, files }, copy);
}

/** As somebody else gets it (`sendBareAttachment`); undefined where that is not at all. */
export async function copyBareAttachment(
  { store, files }: FileDeps,
  row: AttachmentRow,
  place: { conversationId: string; userId: string; name: string },
): Promise<AttachmentRow | undefined> {
  const copy = copyOf(files, row, place);
  if (!isPicture(row)) {
    await files.copy(row.id, copy.id, row.characters !== null);
    return added({ store, files }, copy);
  }
  const bare = await files.barePicture(row.id);
  if (!bare) return undefined;
  try {
    await files.receive(copy.id, bare.pieces);
    await files.keep(copy.id, null);
  } catch (cause) {
    await files.delete([copy.id]);
    throw cause;
  }
  return added({ store, files }, { ...copy, size: bare.size });
}

const copyOf = (
  files: AttachmentFiles,
  row: AttachmentRow,
  place: Partial<AttachmentRow>,
): AttachmentRow => ({
  ...row,
  ...{ id: files.newId(), projectId: null, createdAt: Date.now() },
  ...place,
});

async function added({ store, files }: FileDeps, copy: AttachmentRow): Promise<AttachmentRow> {
  const most = await files.maxBytesOf(copy.userId);
  if (await store.attachments.add(copy, most)) return copy;
  await files.delete([copy.id]);
  throw attachmentsFull(most);
}

/** `most` in bytes. */
export const attachmentsFull = (most: number) =>
  new HttpError(
    507,
    "attachments_full",
    `All your attached files may take ${Math.floor(most / megabyte)} MB together: delete conversations with files that you no longer need, or have the limit raised (by an admin, or with ATTACHMENTS_MAX_MB).`,
  );

/** At a start: what no message has taken up for a day, and what a crash left behind. */
export async function clearAttachments({ store, files }: FileDeps): Promise<void> {
  await store.attachments.deleteLoose(Date.now() - looseForMs);
  await files.sweep(await store.attachments.allIds());
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
    // The name itself has a percent sign.
  }
  return cleanName(name);
}

/** The last part of a path, without what is not seen and cannot be put into a header. */
export function cleanName(name: string): string {
  const clean = (name.split(/[/\\]/).at(-1) ?? "")
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
  // By whole characters: half of one cannot be put into a header.
  return [...clean].slice(-maxName).join("") || "file";
}
