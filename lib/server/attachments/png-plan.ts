import { crc32 } from "node:zlib";
import type { ByteReader } from "./byte-reader";
import { exifOf, orientationOf, upright } from "./exif-orientation";
import { KeptParts, maxSegments } from "./kept-parts";

/** Chunks that hold pixels, or numbers by which they are drawn; no texts, times, profiles or what programs add. */
const drawn = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB cICP sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);
/** Bytes of Exif data that are looked at. */
const maxExif = 64 * 1024;

/** After its signature, up to its end chunk. */
export async function planPng(reader: ByteReader): Promise<KeptParts | null> {
  const kept = new KeptParts();
  kept.keep(0, reader.at);
  let isDrawn = false;
  for (let count = 0; count < maxSegments; count++) {
    const from = reader.at;
    const head = await reader.take(8);
    if (!head) return null;
    const length = head.readUInt32BE(0);
    const type = head.toString("latin1", 4);
    if (count === 0 && type !== "IHDR") return null;
    isDrawn ||= type === "IDAT";
    if (type === "eXIf" && length <= maxExif) {
      const exif = await reader.take(length);
      const orientation = exif && orientationOf(exif);
      if (orientation !== undefined && orientation !== upright) kept.put(chunk(type, exifOf(orientation)));
      if (!exif || !(await reader.skip(4))) return null;
      continue;
    }
    if (!(await reader.skip(length + 4))) return null;
    if (drawn.has(type)) kept.keep(from, reader.at);
    if (type === "IEND") return isDrawn ? kept : null;
  }
  return null;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
