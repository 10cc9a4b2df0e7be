import type { Readable } from "node:stream";
import { maxMessageBytes } from "./limit-body";

/** A portion, and the pause after it: at most some 10,000 lines a second, and everybody else is served in between. */
const linesPerPortion = 50;
const pauseMs = 5;

/** Reads a stream of messages line by line; `onTooLong` is called for a line of more than 10 MB, which is dropped. */
export function readLines(stream: Readable, onLine: (line: string) => void, onTooLong: () => void): void {
  // What has come of the line that is not at its end yet; joined once, when it is.
  let parts: Buffer[] = [];
  let bytes = 0;
  let lines = 0;
  let portionStart = 0;

  const keep = (rest: Buffer) => {
    if (rest.length === 0) return;
    parts.push(rest);
    bytes += rest.length;
    if (bytes <= maxMessageBytes) return;
    parts = [];
    bytes = 0;
    onTooLong();
  };
  const read = (chunk: Buffer) => {
    if (performance.now() - portionStart > pauseMs) {
      portionStart = performance.now();
      lines = 0;
    }
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      if (++lines > linesPerPortion) {
        stream.pause();
        setTimeout(() => {
          stream.resume();
          read(chunk.subarray(start));
        }, pauseMs * 2);
        return;
      }
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
      parts = [];
      bytes = 0;
      start = end + 1;
      onLine(line);
    }
    keep(chunk.subarray(start));
  };
  stream.on("data", read);
}
