/** A part of a body: text, or the bytes of one that many bodies have in common. */
export type BodyPiece = string | Uint8Array;

/** Characters from which on a part is kept as bytes: to join and encode the text anew costs more than to copy them. */
const large = 32_768;

/** What is kept of a text for the bodies to come. */
export const toPiece = (text: string): BodyPiece => (text.length < large ? text : Buffer.from(text));

export function bytesOf(pieces: readonly BodyPiece[]): Buffer {
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const piece of pieces)
    if (typeof piece === "string") at += bytes.write(piece, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  return bytes;
}

export const textOf = (pieces: readonly BodyPiece[]): string => bytesOf(pieces).toString();
