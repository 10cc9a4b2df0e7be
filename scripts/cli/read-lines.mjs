import { once } from "node:events";
import { SetupError } from "../setup-error.mjs";

/** Characters of a message; the server takes 5 MB. */
const mostLine = 8_000_000;

/** The lines of a stream, until it ends or the signal comes. Throws `SetupError` at a line that is too long. */
export async function* readLines(stream, signal) {
  let rest = "";
  const aborted = once(signal, "abort").then(() => ({ done: true, value: undefined }));
  const pieces = stream.setEncoding("utf8")[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const { done, value } = await Promise.race([pieces.next(), aborted]);
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.map((line) => line.trim()).filter(Boolean);
    if (rest.length > mostLine)
      throw new SetupError(`A message is longer than ${mostLine} characters: shorten it.`);
  }
  if (rest.trim() && !signal.aborted) yield rest.trim();
}
