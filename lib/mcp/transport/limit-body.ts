import { beforeMcpReceive } from "@/lib/faults/fault-points";

/** Called for each body, then with each piece of it; throwing fails the body. */
export type BodyWatch = (contentType: string) => (piece: Uint8Array) => void;

/** The longest message that a server may send over any transport; a longer one ends the connection. */
export const maxMessageBytes = 10 * 1024 * 1024;

/** Fails a body that is longer than one message may be; each event of an event stream is one message. */
export const limitBody: BodyWatch = (contentType) => {
  const isStream = contentType.startsWith("text/event-stream");
  let bytes = 0;
  let endedLine = false;
  return (piece) => {
    beforeMcpReceive?.();
    bytes += piece.length;
    // A blank line ends an event. It may be split over two pieces.
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const blank = text.includes("\n\n") || text.includes("\r\n\r\n") || (endedLine && piece[0] === 0x0a);
    endedLine = piece.at(-1) === 0x0a;
    if (isStream && blank) bytes = 0;
    if (bytes > maxMessageBytes) throw new Error("The server sent a message of more than 10 MB.");
  };
};

/** Why an answer is not read: decompressed it could be of any size. */
export const compressedFault = (encoding: string): Error =>
  new Error(`Its answers are compressed (${encoding.slice(0, 40)}), which it was asked not to do.`);
