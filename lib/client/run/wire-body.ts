/** JSON with its lines, where it is that and whole; anything else as it came. */
export function showBody(body: string): string {
  const start = /\S/.exec(body)?.[0];
  if (start !== "{" && start !== "[") return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Characters of a piece; a browser lays one out in a few ms. */
const pieceLength = 8_000;

/**
 * A long text in pieces that are drawn by themselves. A piece ends at the end of a line where there is one in its second
 * half, and never within a character.
 */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from);
    pieces.push(text.slice(from, end));
    // The break between two pieces stands for it.
    from = text[end] === "\n" ? end + 1 : end;
  }
  return pieces;
}

function endOfPiece(text: string, from: number): number {
  const most = from + pieceLength;
  if (most >= text.length) return text.length;
  const line = text.lastIndexOf("\n", most);
  if (line > from + pieceLength / 2) return line;
  const isLow = (text.charCodeAt(most) & 0xfc00) === 0xdc00;
  return isLow ? most - 1 : most;
}
