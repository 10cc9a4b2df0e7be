import { isTemporaryId } from "@/lib/protocol/temporary";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { AttachmentRow } from "@/lib/store/types";
import { type FileDeps, isPicture } from "./attachments";

/** The file as an answer that no browser takes for a page of ours, read at the pace of its reader. */
export async function sendAttachment(deps: FileDeps, userId: string, id: string): Promise<Response> {
  const row = await findFile(deps, userId, id);
  const pieces = deps.files.pieces(id);
  return fileAnswer(row, { size: row.size, pieces });
}

/**
 * As strangers get it, under the `name` that they may read: a picture is sent without its metadata. 415 for one of which nobody
 * knows what it holds.
 */
export async function sendBareAttachment(
  deps: FileDeps,
  userId: string,
  id: string,
  name: string,
): Promise<Response> {
  const row = { ...(await findFile(deps, userId, id)), name };
  if (!isPicture(row)) return fileAnswer(row, { size: row.size, pieces: deps.files.pieces(id) });
  const bare = await deps.files.barePicture(id);
  if (!bare)
    throw new HttpError(
      415,
      "unsupported_file",
      "This picture is damaged, so nobody can tell what else is in it; ask its author for another copy.",
    );
  return fileAnswer(row, bare);
}

async function findFile({ store, files }: FileDeps, userId: string, id: string): Promise<AttachmentRow> {
  const row = await store.attachments.get(userId, id);
  if (!row || !(await files.has(id))) throw notFound("attachment");
  return row;
}

function fileAnswer(
  { id, name, mediaType }: AttachmentRow,
  { size, pieces }: { size: number; pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void> },
): Response {
  const shown = isPicture({ mediaType });
  return new Response(toStream(pieces), {
    headers: {
      "Content-Type": shown ? mediaType : "application/octet-stream",
      "Content-Length": String(size),
      "Content-Disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(name)}`,
      ...fileHeaders(id),
    },
  });
}

/** Asks for the next piece when it is wanted, and never before. */
const toStream = (
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => void (await pieces.return()),
    },
    { highWaterMark: 0 },
  );

/** What models read of a file, as plain text: of a PDF the words of its pages. 404 for one without text. */
export async function sendAttachmentText(
  { store, files }: FileDeps,
  userId: string,
  id: string,
): Promise<Response> {
  const row = await store.attachments.get(userId, id);
  if (row?.characters == null || !(await files.has(id))) throw notFound("attachment");
  return new Response(await files.readText(id), {
    headers: { ...fileHeaders(id), "Content-Type": "text/plain; charset=utf-8" },
  });
}

/** No browser takes it for a page of ours. */
const fileHeaders = (id: string) => ({
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
  // The file of an id never changes; shared copies are not for caches on the way, and a browser keeps its own on a disk.
  "Cache-Control": isTemporaryId(id) ? "no-store" : "private, max-age=31536000, immutable",
});
