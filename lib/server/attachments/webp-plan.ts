import type { ByteReader } from "./byte-reader";
import { exifOf, orientationOf, upright } from "./exif-orientation";
import { KeptParts, maxSegments } from "./kept-parts";

const drawn = new Set(["VP8 ", "VP8L", "ALPH", "ANIM", "ANMF"]);
/** Flags of the head: what is in the file beside the picture. */
const [hasProfile, hasExif, hasXmp] = [0x20, 0x08, 0x04];
const maxExif = 64 * 1024;

/** After its first six bytes, which are given; up to the length that it says it has. */
export async function planWebp(reader: ByteReader, begin: string): Promise<KeptParts | null> {
  const rest = await reader.take(6);
  if (rest?.toString("latin1", 2) !== "WEBP") return null;
  const end = 8 + Buffer.from(begin.slice(4) + rest.toString("latin1", 0, 2), "latin1").readUInt32LE(0);
  const kept = new KeptParts();
  let head: Buffer | undefined;
  let exif: Buffer | undefined;
  let isDrawn = false;
  for (let count = 0; reader.at < end; count++) {
    const from = reader.at;
    const named = count < maxSegments ? await reader.take(8) : undefined;
    if (!named) return null;
    const type = named.toString("latin1", 0, 4);
    const length = named.readUInt32LE(4);
    const padded = length + (length % 2);
    if (from + 8 + padded > end) return null;
    if (type === "VP8X" && count === 0 && length === 10) {
      const payload = await reader.take(10);
      if (!payload) return null;
      head = Buffer.concat([named, payload]);
      continue;
    }
    if (type === "EXIF" && length <= maxExif) {
      exif = await reader.take(padded);
      if (!exif) return null;
      continue;
    }
    if (!(type === "ANMF" ? await isFrame(reader, length) : await reader.skip(padded))) return null;
    if (type === "ANMF" && length % 2 === 1 && !(await reader.skip(1))) return null;
    if (drawn.has(type)) kept.keep(from, reader.at);
    isDrawn ||= type === "VP8 " || type === "VP8L" || type === "ANMF";
  }
  return isDrawn ? assembled(kept, head, exif) : null;
}

/** It is one picture and what of it can be seen through. */
const maxInFrame = 8;

/** A frame of an animation holds chunks too. */
async function isFrame(reader: ByteReader, length: number): Promise<boolean> {
  const end = reader.at + length;
  if (length < 16 || !(await reader.skip(16))) return false;
  for (let count = 0; reader.at < end; count++) {
    if (count === maxInFrame) return false;
    const named = await reader.take(8);
    if (!named || !["VP8 ", "VP8L", "ALPH"].includes(named.toString("latin1", 0, 4))) return false;
    const inner = named.readUInt32LE(4);
    if (reader.at + inner > end || !(await reader.skip(inner + (inner % 2)))) return false;
  }
  return reader.at === end;
}

/** With its length and its flags as they are now. */
function assembled(kept: KeptParts, head: Buffer | undefined, exif: Buffer | undefined): KeptParts {
  // Some programs begin it as in a JPEG.
  const tiff = exif?.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif;
  const orientation = tiff && orientationOf(tiff);
  const turned =
    head && orientation !== undefined && orientation !== upright ? exifOf(orientation) : undefined;
  if (turned) {
    const named = Buffer.from("EXIF\0\0\0\0", "latin1");
    named.writeUInt32LE(turned.length, 4);
    kept.put(Buffer.concat([named, turned]));
  }
  if (head) head[8] = ((head[8] ?? 0) & ~(hasProfile | hasExif | hasXmp)) | (turned ? hasExif : 0);
  const riff = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
  riff.writeUInt32LE(4 + (head?.length ?? 0) + kept.size, 4);
  const all = new KeptParts();
  all.put(head ? Buffer.concat([riff, head]) : riff);
  all.parts.push(...kept.parts);
  return all;
}
