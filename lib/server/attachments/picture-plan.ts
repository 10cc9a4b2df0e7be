import { ByteReader } from "./byte-reader";
import { planGif } from "./gif-plan";
import { planJpeg } from "./jpeg-plan";
import type { KeptParts, PicturePlan } from "./kept-parts";
import { planPng } from "./png-plan";
import { planWebp } from "./webp-plan";

/** More parts than any program writes. */
const maxParts = 10_000;

/**
 * How a PNG, JPEG, GIF or WebP is told without its metadata: cameras and programs write into it where it was taken, by whom
 * and with what. Its pixels stay as they are, and the way it is held up. Null for what is no such picture from its beginning
 * to its end: of that nobody knows what else it holds. Reads the picture once, and holds none of it.
 */
export async function planPicture(pieces: AsyncIterable<Uint8Array>): Promise<PicturePlan | null> {
  const reader = new ByteReader(pieces);
  try {
    const kept = await planBySignature(reader);
    if (!kept || kept.parts.length > maxParts) return null;
    return { parts: kept.parts, size: kept.size };
  } finally {
    await reader.close();
  }
}

async function planBySignature(reader: ByteReader): Promise<KeptParts | null> {
  const [first, second] = (await reader.take(2)) ?? [];
  if (first === 0xff && second === 0xd8) return planJpeg(reader);
  const rest = (await reader.take(4))?.toString("latin1") ?? "";
  const signature = String.fromCharCode(first ?? 0, second ?? 0) + rest;
  if (signature === "\x89PNG\r\n" && (await reader.take(2))?.toString("latin1") === "\x1a\n")
    return planPng(reader);
  if (signature === "GIF87a" || signature === "GIF89a") return planGif(reader);
  if (signature.startsWith("RIFF")) return planWebp(reader, signature);
  return null;
}

/** The bytes that a plan keeps, as they come. */
export async function* plannedPieces(
  { parts }: PicturePlan,
  pieces: AsyncIterable<Uint8Array<ArrayBufferLike>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const left = [...parts].reverse();
  let at = 0;
  for await (const piece of pieces) {
    const end = at + piece.length;
    for (let part = left.at(-1); part; part = left.at(-1)) {
      if (part instanceof Uint8Array) yield part as Uint8Array<ArrayBuffer>;
      else {
        const from = Math.max(part.from, at);
        const to = Math.min(part.to, end);
        if (from < to) yield piece.subarray(from - at, to - at) as Uint8Array<ArrayBuffer>;
        // It goes on in the next piece.
        if (part.to > end) break;
      }
      left.pop();
    }
    if (left.length === 0) return;
    at = end;
  }
  // What is put at the end.
  for (const part of left.reverse())
    if (part instanceof Uint8Array) yield part as Uint8Array<ArrayBuffer>;
    else throw new Error("The picture is shorter than it was.");
}
