import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const windowMs = 100;
const bytesPerWindow = 256 * 1024;
const maxPart = 8 * 1024;

/**
 * Reads a stream to its end, line by line, so that the writer never blocks on a full pipe. A flood is slowed down to
 * about 2.5 MB/s; of a line without an end only the first 8 KB are kept.
 */
export function drainLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let bytes = 0;
  let windowStart = 0;
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = (lines.pop() ?? "").slice(0, maxPart);
    for (const line of lines) onLine(line);
    const now = performance.now();
    if (now - windowStart > windowMs) {
      windowStart = now;
      bytes = 0;
    }
    bytes += chunk.length;
    if (bytes <= bytesPerWindow) return;
    stream.pause();
    setTimeout(() => stream.resume(), windowMs).unref();
  });
  stream.on("end", () => {
    if (rest) onLine(rest);
  });
}
