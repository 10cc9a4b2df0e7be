import type { Readable } from "node:stream";
import { maxMessageBytes } from "./limit-body";

/** A portion, and the pause after it: at most some 10,000 lines a second, and everybody else is served in between. */
const linesPerPortion = 50;
const pauseMs = 5;
/** A portion ends earlier when its lines take this long to deal with: they cost more than most, or the machine is busy. */
const portionMs = 2;
/** Lines that are not counted for each message that was sent: its answer, and some words on the way. */
const linesPerMessage = 4;
const maxCredit = 200;

/** That a list has changed: said once more before anything else is said, it says nothing new. */
const changeNotice =
  /^\{\s*(?:"jsonrpc":\s*"2\.0",\s*)?"method":\s*"notifications\/(tools|prompts|resources)\/list_changed"/;
const maxNotice = 500;

export interface LineReader {
  /** Something was sent to which an answer may come: who is asked a lot may answer a lot. */
  expect(): void;
}

/** Which list a line says has changed. */
const changeOf = (chunk: Buffer, start: number, end: number): string | undefined =>
  end - start > maxNotice ? undefined : changeNotice.exec(chunk.toString("latin1", start, end))?.[1];

/** Reads a stream of messages line by line; `onTooLong` is called for a line of more than 10 MB, which is dropped. */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  onTooLong: () => void,
): LineReader {
  // What has come of the line that is not at its end yet; joined once, when it is.
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
      // Takes no share of the portion, so that a storm of them does not hold up what comes after it.
      if (kind !== undefined && changed.has(kind)) {
        start = end + 1;
        continue;
      }
      if (isPortionFull(began)) {
        stream.pause();
        // Back into the stream: Node resumes that of a child which exits, and what it still has must come after this.
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
