import type { ByteReader } from "./byte-reader";
import { exifOf, orientationOf, upright } from "./exif-orientation";
import { KeptParts, maxSegments } from "./kept-parts";

const [startOfScan, endOfImage, app0, app1, app14] = [0xda, 0xd9, 0xe0, 0xe1, 0xee];

/** Segments without which it cannot be drawn (ITU-T T.81, B.1): frames, tables, restart intervals, lines, scans. */
const isDrawn = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || (marker >= 0xda && marker <= 0xdd);

/**
 * After its first two bytes, up to the end of the image: a second picture, a film or a trailer behind it goes too. Comments and
 * application segments go, but for the two that say what its colours mean, without more than that.
 */
export async function planJpeg(reader: ByteReader): Promise<KeptParts | null> {
  const kept = new KeptParts();
  kept.keep(0, 2);
  let isRead = false;
  let marker = await firstMarker(reader);
  for (let count = 0; count < maxSegments; count++) {
    if (marker === undefined) return null;
    const from = reader.at - 2;
    if (marker === endOfImage) {
      kept.keep(from, reader.at);
      return isRead ? kept : null;
    }
    const length = (await reader.take(2))?.readUInt16BE(0) ?? 0;
    if (length < 2) return null;
    if (!isDrawn(marker)) {
      const payload = await reader.take(length - 2);
      if (!payload) return null;
      const own = instead(marker, payload);
      if (own) kept.put(own);
      marker = await firstMarker(reader);
      continue;
    }
    if (!(await reader.skip(length - 2))) return null;
    const scans: boolean = marker === startOfScan;
    isRead ||= scans;
    marker = scans ? await markerAfterScan(reader) : await firstMarker(reader);
    // What a scan is followed by begins two bytes before.
    kept.keep(from, scans && marker !== undefined ? reader.at - 2 : from + 2 + length);
  }
  return null;
}

/** In place of a segment that holds more than is drawn. */
function instead(marker: number, payload: Buffer): Buffer | undefined {
  const says = (name: string) => payload.toString("latin1", 0, name.length) === name;
  if (marker === app0 && says("JFIF\0") && payload.length >= 14)
    // Without the small picture in it.
    return segment(app0, Buffer.concat([payload.subarray(0, 12), Buffer.alloc(2)]));
  if (marker === app14 && says("Adobe") && payload.length >= 12)
    return segment(app14, payload.subarray(0, 12));
  if (marker !== app1 || !says("Exif\0\0")) return undefined;
  const orientation = orientationOf(payload.subarray(6));
  if (orientation === undefined || orientation === upright) return undefined;
  return segment(app1, Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exifOf(orientation)]));
}

function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

/** The marker that stands here, after as many 0xff as there may be. */
async function firstMarker(reader: ByteReader): Promise<number | undefined> {
  const begin = await reader.take(1);
  if (begin?.[0] !== 0xff) return undefined;
  let marker = 0;
  const isThere = await reader.scan((byte) => {
    marker = byte;
    return byte !== 0xff;
  });
  // Those without a length have nothing to do here.
  return isThere && marker > 0x01 && !(marker >= 0xd0 && marker <= 0xd8) ? marker : undefined;
}

/** Behind the image data, in which 0xff is followed by zero or a restart. */
async function markerAfterScan(reader: ByteReader): Promise<number | undefined> {
  let isEscape = false;
  let marker = 0;
  const isThere = await reader.scan((byte) => {
    const was = isEscape;
    isEscape = byte === 0xff;
    marker = byte;
    return was && byte !== 0xff && byte !== 0 && !(byte >= 0xd0 && byte <= 0xd7);
  });
  return isThere && marker > 0x01 && marker !== 0xd8 ? marker : undefined;
}
