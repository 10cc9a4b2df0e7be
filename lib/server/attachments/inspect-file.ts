import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { ReadableStream } from "node:stream/web";
import { fileTypeFromFile, fileTypeFromStream } from "file-type";
import { HttpError } from "@/lib/server/http/errors";
import type { FileSource } from "./byte-folder";
import { type PdfText, readPdf } from "./read-pdf";
import type { Slots } from "./slots";

/** What a file is by its content; `text` is what the model reads of it. */
export interface Inspected {
  mediaType: string;
  text: string | null;
}

/** Longest text file, in characters: about what the largest models read at once. */
const maxText = 400_000;
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Looks into a file, and holds no more of it than its text; throws 413, 415, 422 or 503 with a sentence that names it. */
export async function inspectFile(
  source: FileSource,
  name: string,
  declared: string,
  pdfs: Slots,
): Promise<Inspected> {
  const claims = claimOf(name, declared);
  const found = (
    await (typeof source === "string"
      ? fileTypeFromFile(source)
      : fileTypeFromStream(ReadableStream.from(source.pieces())))
  )?.mime;
  if (found && images.has(found)) return { mediaType: found, text: null };
  if (found === "application/pdf")
    return { mediaType: found, text: textOfPdf(await pdfs.run(() => readPdf(source)), name) };
  if (claims === "pdf") throw refused(`${name} is not a PDF, despite its name; save it as a PDF again.`);
  if (claims === "image")
    throw refused(`${name} is not an image that can be shown; save it as PNG, JPEG, GIF or WebP.`);
  const read = found && !/xml/.test(found) ? undefined : await readText(source);
  if (read === undefined)
    throw refused(
      found
        ? `${name} cannot be attached (${found}); images, PDF and text files can.`
        : `${name} cannot be attached (unknown binary data); images, PDF and text files can.`,
    );
  if (read.length > maxText)
    throw new HttpError(
      413,
      "file_too_large",
      `${name} has ${read.length} characters, and a text may have ${maxText}; attach the part that matters.`,
    );
  return { mediaType: textType(name, declared), text: read.text };
}

function textOfPdf(read: PdfText, name: string): string {
  if ("text" in read) return read.text;
  const why = {
    broken: `${name} is damaged and cannot be read; save it as a PDF again.`,
    password: `${name} is protected by a password; save a copy without one.`,
    slow: `${name} takes too long to read; attach the pages that matter.`,
    memory: `${name} takes too much memory to read; attach the pages that matter.`,
    pages: `${name} has more than 1,000 pages; attach those that matter.`,
  }[read.failure];
  throw new HttpError(422, "unreadable_file", why);
}

/** What the name or the sender says it is; what the content says counts more. */
function claimOf(name: string, declared: string): "pdf" | "image" | undefined {
  const ending = extname(name).toLowerCase();
  if (ending === ".pdf" || declared === "application/pdf") return "pdf";
  const isImage = declared.startsWith("image/") && declared !== "image/svg+xml";
  return isImage || /^\.(png|jpe?g|gif|webp|bmp|tiff?|heic|avif)$/.test(ending) ? "image" : undefined;
}

/** UTF-8 (or UTF-16 with its mark) without control characters that no text has; of a longer one the length alone. */
async function readText(source: FileSource): Promise<{ text: string; length: number } | undefined> {
  let decoder: TextDecoder | undefined;
  let text = "";
  let length = 0;
  const isText = (piece: string) => {
    length += piece.length;
    if (length <= maxText) text += piece;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells binary data from text
    return !/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(piece);
  };
  try {
    for await (const bytes of piecesOf(source)) {
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
      if (!isText(decoder.decode(bytes, { stream: true }))) return undefined;
    }
    return isText(decoder?.decode() ?? "") ? { text, length } : undefined;
  } catch (cause) {
    if (cause instanceof TypeError) return undefined;
    throw cause;
  }
}

const piecesOf = (source: FileSource): AsyncIterable<Uint8Array> =>
  typeof source === "string" ? createReadStream(source) : source.pieces();

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

const byEnding: Record<string, string> = {
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".md": "text/markdown",
  ".svg": "image/svg+xml",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
};

function textType(name: string, declared: string): string {
  const known = byEnding[extname(name).toLowerCase()];
  if (known) return known === "image/svg+xml" ? "text/xml" : known;
  return /^text\/[a-z0-9.+-]+$/.test(declared) ? declared : "text/plain";
}

const refused = (message: string) => new HttpError(415, "unsupported_file", message);
