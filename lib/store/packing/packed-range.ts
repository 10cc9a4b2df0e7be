import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreError } from "@/lib/store/errors";
import { decodeRange, type EventRange } from "@/lib/store/event-range";
import { brokenRow } from "@/lib/store/stored-json";
import type { LogEvent } from "@/lib/store/types";
import { readColumns, writeColumns } from "./event-columns";
import { packBytes, unpackBytes } from "./packed-bytes";

/** A row of the log as it is stored: with `packed`, that holds the events, and `data` nothing. */
export interface StoredRange extends EventRange {
  packed: Uint8Array | null;
}

/** What the packed bytes hold: columns of events, or the text of one large row. */
const forms = { columns: 1, text: 2 };
/** A text from here on is compressed as it is: to parse it would hold the event loop. */
const largeText = 262_144;

export const isLarge = ({ data }: EventRange): boolean => data.length > largeText;

/**
 * Rows whose numbers follow each other as one; a large row is packed alone. Throws where the packed one does not hold
 * the same. Other work gets its turn between the steps.
 */
export async function packRanges(runId: string, ranges: readonly EventRange[]): Promise<StoredRange> {
  const [first] = ranges;
  const last = ranges.at(-1)?.last;
  if (!first || last === undefined) throw new Error("There is nothing to pack.");
  const range = { first: first.first, last, at: first.at, data: "" };
  if (isLarge(first)) {
    const raw = Buffer.from(first.data);
    const packed = await packBytes(forms.text, raw);
    if (!(await unpackBytes(packed)).raw.equals(raw)) throw notTheSame(runId, range);
    return { ...range, packed };
  }
  const events = ranges.flatMap((each) => decodeRange(runId, each));
  await nextTurn();
  const stored = { ...range, packed: await packBytes(forms.columns, writeColumns(events)) };
  const read = await readRange(runId, stored);
  await nextTurn();
  if (!areSame(read, events)) throw notTheSame(runId, range);
  return stored;
}

const areSame = (read: readonly LogEvent[], events: readonly LogEvent[]): boolean =>
  read.length === events.length && read.every((event, index) => isSame(event, events[index]));

/** To the letter: the same fields in the same order. */
function isSame(one: LogEvent, other: LogEvent | undefined): boolean {
  if (one.seq !== other?.seq || one.at !== other.at) return false;
  const fields = Object.entries(one.data);
  const others = Object.entries(other.data);
  return (
    fields.length === others.length &&
    fields.every(([key, value], index) => {
      const [otherKey, otherValue] = others[index] ?? [];
      return (
        key === otherKey && (value === otherValue || JSON.stringify(value) === JSON.stringify(otherValue))
      );
    })
  );
}

const notTheSame = (runId: string, { first, last }: EventRange) =>
  new Error(
    `Events ${first} to ${last} of run ${runId} do not come back as they are; they stay as they are.`,
  );

/** The events of a row; a `broken_row` StoreError, which names the first of them, when it cannot be read. */
export async function readRange(runId: string, { packed, ...range }: StoredRange): Promise<LogEvent[]> {
  if (!packed) return decodeRange(runId, range);
  const { first, last } = range;
  const name = `event ${first} of run ${runId}`;
  try {
    const { form, raw } = await unpackBytes(packed);
    if (form === forms.text) return decodeRange(runId, { ...range, data: raw.toString() });
    if (form === forms.columns) return readColumns(name, raw, first, last);
    throw new Error(`form ${form} is unknown`);
  } catch (cause) {
    throw cause instanceof StoreError ? cause : brokenRow(name, (cause as Error).message, cause);
  }
}
