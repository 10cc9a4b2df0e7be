import type { Readable } from "node:stream";
import { maxMessageBytes } from "./limit-body";

/** Lines of one portion, and the pause after it: at most about 10,000 lines a second, and other work is done in between. */
const linesPerPortion = 50;
const pauseMs = 5;
/** A portion ends earlier when its lines take this long: they are expensive, or the machine is busy. */
const portionMs = 2;
/** Lines that are not counted for each message that was sent: its answer and some notifications. */
const linesPerMessage = 4;
const maxCredit = 200;

/** A notice that a list has changed; the same notice again, with nothing in between, adds nothing. */
const changeNotice =
  /^\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"method":\s*"notifications\/(tools|prompts|resources)\/list_changed"/;
const maxNotice = 500;

export interface LineReader {
  /** A message was sent that may be answered: more questions may have more answers. */
  expect(): void;
}

/** The list that the line says has changed. */
const changeOf = (chunk: Buffer, start: number, end: number): string | undefined =>
  end - start > maxNotice ? undefined : changeNotice.exec(chunk.toString("latin1", start, end))?.[1];

/** Reads a stream of messages line by line; `onTooLong` is called for a line of more than 10 MB, which is dropped. */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  onTooLong: () => void,
): LineReader {
  // Pieces of the current line; joined once, when its end has arrived.
  let parts: Buffer[] = [];
  let bytes = 0;
  let lines = 0;
  let portionStart = 0;
  let credit = 0;
  const changed = new Set<string>();

  const keep = (rest: Buffer) => {
    if (rest.length === 0) return;
    parts.push(rest);
    bytes += rest.length;
    if (bytes <= maxMessageBytes) return;
    parts = [];
    bytes = 0;
    onTooLong();
  };
  const isPortionFull = (began: number) => {
    if (credit > 0) {
      credit--;
      return false;
    }
    return ++lines > linesPerPortion || performance.now() - began > portionMs;
  };
  const read = (chunk: Buffer) => {
    const began = performance.now();
    if (began - portionStart > pauseMs) {
      portionStart = began;
      lines = 0;
    }
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const kind = parts.length === 0 ? changeOf(chunk, start, end) : undefined;
      // Not counted in the portion, so that a storm of notices does not delay what follows.
      if (kind !== undefined && changed.has(kind)) {
        start = end + 1;
        continue;
      }
      if (isPortionFull(began)) {
        stream.pause();
        // Back into the stream, before what a child that exits has still to send: Node resumes that stream by itself.
        stream.unshift(chunk.subarray(start));
        setTimeout(() => stream.resume(), pauseMs * 2);
        return;
      }
      const line =
        parts.length === 0
          ? chunk.toString("utf8", start, end)
          : Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
      parts = [];
      bytes = 0;
      start = end + 1;
      if (kind === undefined) changed.clear();
      else changed.add(kind);
      onLine(line);
    }
    keep(chunk.subarray(start));
  };
  stream.on("data", read);
  return {
    expect: () => {
      credit = Math.min(maxCredit, credit + linesPerMessage);
    },
  };
}
