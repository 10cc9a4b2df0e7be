import type { Chunk } from "@/lib/protocol/chunk";
import { isPieceOf, type Shape, shapeOf } from "@/lib/store/piece-shape";
import { ChunkData, readJson } from "@/lib/store/stored-json";
import type { LogEvent } from "@/lib/store/types";
import { readVarints, writeVarints } from "./varints";

/**
 * Events that follow each other, turned so that they compress well. Pieces of one answer differ in `content` alone: it
 * stands here in one text, with the length of each. What is cut up as it came takes three times as much.
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

/** Their numbers follow each other. */
export function writeColumns(events: readonly LogEvent[]): Buffer {
  const { shapes, text, lengths, times } = toColumns(events);
  // JSON, as it keeps halves of surrogate pairs.
  const head = Buffer.from(JSON.stringify([shapes, text]));
  return Buffer.concat([writeVarints([head.length]), head, writeVarints([...lengths, ...times])]);
}

/** The same events to the letter. `name` is how messages call them; throws for what `writeColumns` has not written. */
export function readColumns(name: string, raw: Buffer, first: number, last: number): LogEvent[] {
  const size = readVarints(raw, 0, 1);
  const start = size.end + (size.values[0] ?? 0);
  const [shapes, text] = JSON.parse(raw.toString("utf8", size.end, start)) as [Columns["shapes"], string];
  const pieces = shapes.reduce((sum, [, count]) => sum + count, 0);
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

function toColumns(events: readonly LogEvent[]): Columns {
  const shapes: Columns["shapes"] = [];
  const texts: string[] = [];
  const lengths: number[] = [];
  let shape: Shape | undefined;
  let last: Columns["shapes"][number] | undefined;
  for (const { data } of events) {
    const content = contentOf(data);
    if (content !== undefined) {
      texts.push(content);
      lengths.push(content.length);
    }
    if (last && shape && isPieceOf(shape, data)) {
      last[1]++;
      continue;
    }
    const json = JSON.stringify(content === undefined ? data : { ...data, content: "" });
    if (content !== undefined && last && last[1] > 0 && last[0] === json) {
      last[1]++;
      continue;
    }
    last = [json, content === undefined ? 0 : 1];
    shapes.push(last);
    // By its shape most pieces are known without their JSON.
    shape = data.at === undefined ? shapeOf(data) : undefined;
  }
  const times = events.map(({ at }, index) => zigzag(at - (events[index - 1]?.at ?? 0)));
  return { shapes, text: texts.join(""), lengths, times };
}

const contentOf = (data: Chunk): string | undefined =>
  "content" in data && typeof data.content === "string" ? data.content : undefined;

/** Clocks are set back. */
const zigzag = (delta: number): number => (delta < 0 ? -2 * delta - 1 : 2 * delta);
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);
