const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Longer keys than those that are looked for. */
const maxKey = 8;

/**
 * The JSON of a conversation of ours without the bytes of its files: each `files[].data` becomes `[start, end]`, where its base64
 * is in the whole. So what is read into memory does not grow with the files. Everything else passes as it is.
 */
export async function* liftData(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const lifter = new Lifter();
  for await (const piece of pieces) yield* lifter.push(piece);
}

class Lifter {
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** The string that was read last, as far as it can be a key that matters. */
  private key: number[] = [];
  /** The field of the outer object that is being read. */
  private field = "";
  private isData = false;
  /** Where the base64 began that is being passed over. */
  private start: number | undefined;
  private offset = 0;

  *push(piece: Uint8Array): Generator<Uint8Array, void> {
    let kept = 0;
    for (let at = 0; at < piece.length; at++) {
      if (this.start !== undefined) {
        const end = piece.indexOf(quote, at);
        if (end < 0) {
          kept = piece.length;
          break;
        }
        yield Buffer.from(`[${this.start},${this.offset + end}]`);
        this.start = undefined;
        [at, kept] = [end, end + 1];
        continue;
      }
      const byte = piece[at] ?? 0;
      if (this.inString) this.readString(byte);
      else if (byte === quote && this.isData) {
        yield piece.subarray(kept, at);
        this.start = this.offset + at + 1;
        this.isData = false;
      } else this.readMark(byte);
    }
    if (kept < piece.length && this.start === undefined) yield piece.subarray(kept);
    this.offset += piece.length;
  }

  private readString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.inString = false;
    else if (this.key.length <= maxKey) this.key.push(byte);
  }

  private readMark(byte: number): void {
    if (byte <= 0x20) return;
    this.isData = false;
    if (byte === quote) [this.inString, this.key] = [true, []];
    else if (byte === openBrace || byte === openBracket) this.depth++;
    else if (byte === closeBrace || byte === closeBracket) this.depth--;
    else if (byte === comma && this.depth === 1) this.field = "";
    else if (byte === colon) {
      const key = String.fromCharCode(...this.key);
      if (this.depth === 1) this.field = key;
      this.isData = this.depth === 3 && this.field === "files" && key === "data";
    }
  }
}

/** The bytes of base64 that comes in pieces. */
export async function* fromBase64(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece).toString("latin1");
    const whole = text.length - (text.length % 4);
    rest = text.slice(whole);
    yield Buffer.from(text.slice(0, whole), "base64");
  }
  if (rest !== "") yield Buffer.from(rest, "base64");
}
