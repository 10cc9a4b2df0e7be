import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, brotliDecompressSync, constants, crc32 } from "node:zlib";
import type { Chunk } from "@/lib/protocol/chunk";
import { StoreError } from "@/lib/store/errors";
import { brokenRow, ChunkData, readJson } from "@/lib/store/stored-json";
import type { LogEvent } from "@/lib/store/types";
import { readVarints, writeVarints } from "./varints";

/**
 * Events that follow each other, as few bytes: a byte that names the form, size and checksum of what was
 * compressed, and that. Each event keeps its number, its time and its JSON to the letter. Pieces of one answer differ in `content` alone, so
 * it stands there once, in one piece, with the length of each; text that is not cut up compresses three times as well.
 */
interface Columns {
  /** JSON of an event and 0, or JSON of a piece without its content and how many such pieces follow each other. */
  shapes: [json: string, pieces: number][];
  text: string;
  /** UTF-16 units of each piece. */
  lengths: number[];
  /** Of each event, ms after the one before; the first one after 1970. */
  times: number[];
}

const form = 1;
/** Higher ones take forty times as long for a tenth. */
const quality = 5;
/** Compressed bytes that are unpacked at once, about 1 ms; more of them by another thread. */
const atOnce = 65_536;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Their numbers must follow each other: those of a part are counted from its first. */
export async function packEvents(events: readonly LogEvent[]): Promise<Uint8Array> {
  const { shapes, text, lengths, times } = toColumns(events);
  const head = Buffer.from(JSON.stringify([shapes, text]));
  const raw = Buffer.concat([writeVarints([head.length]), head, writeVarints([...lengths, ...times])]);
  const packed = await compress(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  });
  return Buffer.concat([writeVarints([form, raw.length, crc32(raw)]), packed]);
}

/** `name` is how messages call it. A `broken_row` StoreError when it is not what `packEvents` has made. */
export async function unpackEvents(
  name: string,
  bytes: Uint8Array,
  range: { first: number; last: number },
): Promise<LogEvent[]> {
  try {
    const { values, end } = readVarints(bytes, 0, 3);
    const [found, size = 0, checksum] = values;
    if (found !== form) throw new Error(`form ${found} is unknown`);
    const packed = bytes.subarray(end);
    const bound = { maxOutputLength: Math.max(1, size) };
    const raw =
      packed.length > atOnce ? await decompress(packed, bound) : brotliDecompressSync(packed, bound);
    if (crc32(raw) !== checksum) throw new Error("its checksum is another one");
    return toEvents(name, raw, range);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw brokenRow(name, (cause as Error).message, cause);
  }
}

function toColumns(events: readonly LogEvent[]): Columns {
  const shapes: Columns["shapes"] = [];
  const texts: string[] = [];
  const lengths: number[] = [];
  for (const { data } of events) {
    const content = contentOf(data);
    const json = JSON.stringify(content === undefined ? data : { ...data, content: "" });
    const last = shapes.at(-1);
    if (content === undefined) shapes.push([json, 0]);
    else if (last && last[1] > 0 && last[0] === json) last[1]++;
    else shapes.push([json, 1]);
    if (content === undefined) continue;
    texts.push(content);
    lengths.push(content.length);
  }
  const times = events.map(({ at }, index) => zigzag(at - (events[index - 1]?.at ?? 0)));
  return { shapes, text: texts.join(""), lengths, times };
}

function toEvents(name: string, raw: Buffer, { first, last }: { first: number; last: number }): LogEvent[] {
  const size = readVarints(raw, 0, 1);
  const start = size.end + (size.values[0] ?? 0);
  const [shapes, text] = JSON.parse(raw.toString("utf8", size.end, start)) as [Columns["shapes"], string];
  const pieces = shapes.reduce((count, [, each]) => count + each, 0);
  const { values: lengths, end } = readVarints(raw, start, pieces);
  const { values: times } = readVarints(raw, end, last - first + 1);
  const events: LogEvent[] = [];
  let at = 0;
  let [piece, from] = [0, 0];
  const add = (data: Chunk) => {
    at += unzigzag(times[events.length] ?? 0);
    events.push({ seq: first + events.length, at, data });
  };
  for (const [json, count] of shapes) {
    const data = readJson<Chunk>(name, json, ChunkData);
    if (count === 0) add(data);
    for (let left = count; left > 0; left--) {
      const to = from + (lengths[piece++] ?? 0);
      // In its place among the keys.
      add({ ...data, content: text.slice(from, to) } as Chunk);
      from = to;
    }
  }
  if (events.length !== times.length) throw new Error(`${events.length} events in place of ${times.length}`);
  return events;
}

const contentOf = (data: Chunk): string | undefined =>
  "content" in data && typeof data.content === "string" ? data.content : undefined;

/** Clocks are set back. */
const zigzag = (delta: number): number => (delta < 0 ? -2 * delta - 1 : 2 * delta);
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);
