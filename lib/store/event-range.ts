import type { Chunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import { withoutContents } from "@/lib/protocol/redact";
import { StoreError } from "./errors";
import { isPieceOf, type Shape, shapeOf, toShape } from "./piece-shape";
import { AnyValue, brokenRow, readJson, writeJson } from "./stored-json";
import type { LogEvent } from "./types";

/** Events of a run that follow each other, as one row; nothing outside `lib/store` knows how `data` holds them. */
export interface EventRange {
  first: number;
  last: number;
  /** Of the first event. */
  at: number;
  data: string;
}

/** A row that has just been written. */
export interface WrittenRange extends EventRange {
  /** Whether it may follow another one in the same row; absent: it stays alone, as nobody has looked into it. */
  joins?: boolean;
}

/** What one row holds at most: a page of events reads few more than it asks for. One large event is a row alone. */
export const maxEvents = 128;
export const maxCharacters = 65_536;

/**
 * Rows for events with numbers that follow each other; where one is left out, the next row begins. So it does with what
 * must survive a power cut: a damaged row then takes an intent and leaves the turn that asked for it.
 */
export function encodeRanges(events: readonly LogEvent[]): WrittenRange[] {
  const ranges: WrittenRange[] = [];
  let open: RangeEncoder | undefined;
  for (const event of events) {
    const { seq } = event;
    if (!Number.isSafeInteger(seq) || seq < 1)
      throw new StoreError("invalid", `${seq} is no number of an event.`);
    const begins = open && (seq !== open.last + 1 || open.isFull || beginsRow(event));
    if (!open || begins) {
      if (open) ranges.push(open.toRange());
      open = new RangeEncoder(event);
    }
    open.add(event);
  }
  if (open) ranges.push(open.toRange());
  return ranges;
}

const beginsRow = ({ data }: LogEvent): boolean => kindOf(data).write === "durable";

/** The same events in fewer rows. */
export function joinRanges(ranges: readonly WrittenRange[]): EventRange[] {
  const joined: EventRange[] = [];
  let mayGrow = false;
  for (const { joins, ...range } of ranges) {
    const open = joined.at(-1);
    const fits =
      open &&
      joins &&
      mayGrow &&
      range.first === open.last + 1 &&
      range.last - open.first < maxEvents &&
      open.data.length + range.data.length <= maxCharacters;
    if (!fits) joined.push(range);
    else {
      open.last = range.last;
      open.data = `${open.data.slice(0, -1)},[${range.at}],${range.data.slice(1)}`;
    }
    mayGrow = joins !== undefined;
  }
  return joined;
}

const plainText = toShape({ type: "text", content: "" });

/**
 * A JSON array. A text is a piece like the one before (at first: of plain text), a number is how many ms have passed, an
 * object is a chunk, and a chunk in an array is one whose last field is the time of its event. A number in an array is a
 * time, after which items are as at the beginning.
 */
class RangeEncoder {
  last: number;
  private readonly at: number;
  private readonly items: string[] = [];
  /** Texts and times that follow each other: written as JSON together, which takes half as long. */
  private plain: (string | number)[] = [];
  private characters = 0;
  private shape = plainText;
  private now: number;

  constructor(private readonly first: LogEvent) {
    this.at = first.at;
    this.now = first.at;
    this.last = first.seq - 1;
  }

  get isFull(): boolean {
    return this.last - this.first.seq + 1 >= maxEvents || this.characters >= maxCharacters;
  }

  add({ seq, at, data }: LogEvent): void {
    if (at !== this.now) this.addPlain(at - this.now, 4);
    this.now = at;
    this.last = seq;
    if (isPieceOf(this.shape, data)) this.addPlain(data.content, data.content.length + 3);
    else {
      const chunk = encodeChunk(data, at);
      this.closePlain();
      this.items.push(chunk);
      this.characters += chunk.length;
      this.shape = shapeOf(data) ?? plainText;
    }
  }

  toRange(): WrittenRange {
    this.closePlain();
    const { first, last, at, items } = this;
    return { first: first.seq, last, at, data: `[${items.join(",")}]`, joins: !beginsRow(first) };
  }

  private addPlain(item: string | number, characters: number): void {
    this.plain.push(item);
    this.characters += characters;
  }

  private closePlain(): void {
    if (this.plain.length > 0) this.items.push(JSON.stringify(this.plain).slice(1, -1));
    this.plain = [];
  }
}

function encodeChunk(chunk: Chunk, at: number): string {
  // Contents are kept in a table of their own, each once. What is nothing is refused by `writeJson`.
  const text = writeJson(chunk && withoutContents(chunk));
  const time = `,"at":${at}}`;
  return text.endsWith(time) && chunk.at === at ? `[${text.slice(0, -time.length)}}]` : text;
}

/** The events of a row; a `broken_row` StoreError, which names the first of them, when it cannot be read. */
export function decodeRange(runId: string, { first, last, at, data }: EventRange): LogEvent[] {
  const name = `event ${first} of run ${runId}`;
  const items = readJson<unknown>(name, data, AnyValue);
  const events: LogEvent[] = [];
  let now = at;
  let shape = plainText;
  for (const item of Array.isArray(items) ? items : []) {
    if (typeof item === "number") {
      now += item;
      continue;
    }
    if (Array.isArray(item) && typeof item[0] === "number") {
      now = item[0];
      shape = plainText;
      continue;
    }
    const chunk = decodeChunk(item, shape, now);
    if (!isChunk(chunk)) throw brokenRow(name, "it holds something that is no chunk");
    if (typeof item !== "string") shape = shapeOf(chunk) ?? plainText;
    events.push({ seq: first + events.length, at: now, data: chunk });
  }
  if (events.length !== last - first + 1)
    throw brokenRow(name, `it holds ${events.length} events instead of ${last - first + 1}`);
  return events;
}

function decodeChunk(item: unknown, shape: Shape, at: number): unknown {
  if (typeof item === "string") return { ...shape.fields, content: item };
  return Array.isArray(item) ? { ...item[0], at } : item;
}

const isChunk = (value: unknown): value is Chunk =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
