import type { ByteReader } from "./byte-reader";
import { KeptParts, maxSegments } from "./kept-parts";

const [extension, image, trailer] = [0x21, 0x2c, 0x3b];
const [timing, application] = [0xf9, 0xff];
/** Says how often an animation repeats. */
const loops = ["NETSCAPE2.0", "ANIMEXTS1.0"];

/** After its signature, up to its trailer; comments and what programs add go. */
export async function planGif(reader: ByteReader): Promise<KeptParts | null> {
  const kept = new KeptParts();
  const screen = await reader.take(7);
  if (!screen || !(await reader.skip(tableSize(screen[4] ?? 0)))) return null;
  kept.keep(0, reader.at);
  let isDrawn = false;
  for (let count = 0; count < maxSegments; count++) {
    const from = reader.at;
    const kind = (await reader.take(1))?.[0];
    if (kind === trailer) {
      kept.keep(from, reader.at);
      return isDrawn ? kept : null;
    }
    if (kind === image) {
      const place = await reader.take(9);
      if (!place || !(await reader.skip(tableSize(place[8] ?? 0) + 1)) || !(await toEnd(reader))) return null;
      kept.keep(from, reader.at);
      isDrawn = true;
      continue;
    }
    if (kind !== extension) return null;
    const label = (await reader.take(1))?.[0];
    let isKept = label === timing;
    if (label === application) {
      const named = await reader.take(12);
      if (named?.[0] !== 11) return null;
      isKept = loops.includes(named.toString("latin1", 1));
    }
    // A count of repeats and nothing behind it.
    const size = label === timing ? 4 : 3;
    const began = reader.at;
    if (!(await toEnd(reader))) return null;
    if (isKept && reader.at - began === size + 2) kept.keep(from, reader.at);
  }
  return null;
}

/** Bytes of a table of colours, by its flags. */
const tableSize = (flags: number): number => ((flags & 0x80) !== 0 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Over blocks that say how long they are, to the empty one. */
function toEnd(reader: ByteReader): Promise<boolean> {
  let left = 0;
  return reader.scan((byte) => {
    if (left > 0) {
      left--;
      return false;
    }
    left = byte;
    return byte === 0;
  });
}
