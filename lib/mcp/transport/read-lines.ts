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

/** Reads a stream of messages line by line; `onTooLong` is called for a line of more than 10 MB, which is dropped. */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  onTooLong: () => void,
): LineReader {
  const reader = new LineReader(stream, onLine, onTooLong);
  stream.on("data", (chunk: Buffer) => reader.read(chunk));
  return reader;
}

/** Which list the line says has changed. */
const changeOf = (chunk: Buffer, start: number, end: number): string | undefined =>
  end - start > maxNotice ? undefined : changeNotice.exec(chunk.toString("latin1", start, end))?.[1];

export class LineReader {
  /** Pieces of the current line; joined once, when its end has arrived. */
  private parts: Buffer[] = [];
  private bytes = 0;
  private lines = 0;
  private portionStart = 0;
  private credit = 0;
  /** Lists whose change was the last thing that was said. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly stream: Readable,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: () => void,
  ) {}

  /** A message was sent that may be answered: more questions may have more answers. */
  expect(): void {
    this.credit = Math.min(maxCredit, this.credit + linesPerMessage);
  }

  read(chunk: Buffer): void {
    const began = performance.now();
    if (began - this.portionStart > pauseMs) {
      this.portionStart = began;
      this.lines = 0;
    }
    const { changed } = this;
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const kind = this.parts.length === 0 ? changeOf(chunk, start, end) : undefined;
      // Not counted in the portion, so that a storm of notices does not delay what follows.
      if (kind !== undefined && changed.has(kind)) {
        start = end + 1;
        continue;
      }
      if (this.isPortionFull(began)) {
        this.pause(chunk.subarray(start));
        return;
      }
      const line = this.join(chunk, start, end);
      start = end + 1;
      if (kind === undefined) changed.clear();
      else changed.add(kind);
      this.onLine(line);
    }
    this.keep(chunk.subarray(start));
  }

  private isPortionFull(began: number): boolean {
    if (this.credit > 0) {
      this.credit--;
      return false;
    }
    return ++this.lines > linesPerPortion || performance.now() - began > portionMs;
  }

  /** The rest goes back into the stream, before what a child that exits has still to send: Node resumes that stream by itself. */
  private pause(rest: Buffer): void {
    this.stream.pause();
    this.stream.unshift(rest);
    setTimeout(() => this.stream.resume(), pauseMs * 2);
  }

  private join(chunk: Buffer, start: number, end: number): string {
    if (this.parts.length === 0) return chunk.toString("utf8", start, end);
    const line = Buffer.concat([...this.parts, chunk.subarray(start, end)]).toString("utf8");
    this.parts = [];
    this.bytes = 0;
    return line;
  }

  private keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.parts.push(rest);
    this.bytes += rest.length;
    if (this.bytes <= maxMessageBytes) return;
    this.parts = [];
    this.bytes = 0;
    this.onTooLong();
  }
}
