import type { ReadWhole } from "./lean-exchange";

/** As servers of the SDKs write a message; with an id the stream could be read on. */
const onlyEvent = /^(?:event: message\r?\n)?data: ([^\r\n]+)\r?\n\r?\n$/;

/** Characters of a question that is read once more; long arguments take longer than what is spared. */
const maxAsked = 16_384;

/**
 * The one event of a stream that is over, as the JSON that the server could have answered as well: the answer to what was asked, and
 * nothing else. The SDK's way through two streams takes longer than most calls.
 */
export const readOnlyEvent: ReadWhole = ({ type, bytes, asked }) => {
  if (!type.startsWith("text/event-stream") || typeof asked !== "string") return undefined;
  if (asked.length > maxAsked) return undefined;
  const [, body] = onlyEvent.exec(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) ?? [];
  if (body === undefined) return undefined;
  const [question, answer] = [read(asked), read(body)];
  const isAnswer = question.id !== undefined && answer.id === question.id && !("method" in answer);
  return isAnswer ? { type: "application/json", body } : undefined;
};

function read(text: string): { id?: unknown; method?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
