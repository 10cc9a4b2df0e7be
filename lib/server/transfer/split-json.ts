/** An element of the outer list, or a file that is one object. */
export type JsonItem =
  | { text: string }
  /** It has too many bytes or is nested too deep; how it begins. */
  | { tooLarge: true; start: string };

/** The JSON ends in the middle of something, or is none. */
export class BrokenJson extends Error {
  override name = "BrokenJson";
  constructor(
    readonly reason: "cut" | "syntax" | "not_json",
    /** Elements that came before. */
    readonly items: number,
    /** How the one begins that broke. */
    readonly start = "",
  ) {
    super(reason);
  }
}

export interface SplitLimits {
  /** Of one element. */
  bytes: number;
  depth: number;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Bytes of an element that is too large which are kept to name it. */
const startBytes = 2_000;

/**
 * The elements of a JSON list one by one, each as its text, so that no more than one of them is in memory and one that is
 * broken is alone in it. It looks at brackets and quotes only: `JSON.parse` checks the rest of each.
 */
export async function* splitJson(
  pieces: AsyncIterable<Uint8Array>,
  limits: SplitLimits,
): AsyncGenerator<JsonItem, void> {
  const splitter = new Splitter(limits);
  for await (const piece of pieces)
    yield* splitter.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
  splitter.end();
}

const placeOf = (piece: Buffer, byte: number, from: number): number => {
  const at = piece.indexOf(byte, from);
  return at < 0 ? piece.length : at;
};

class Splitter {
  private root: "none" | "list" | "object" | "done" = "none";
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** Of the element that is being read; undefined between two. */
  private kept: Buffer[] | undefined;
  private bytes = 0;
  private isTooLarge = false;
  private needsComma = false;
  private items = 0;
  private isFirst = true;
  /** Where in this piece, as far as it was looked for: most of a file is strings, and each search is one call. */
  private nextQuote = -1;
  private nextBackslash = -1;

  constructor(private readonly limits: SplitLimits) {}

  *push(piece: Buffer): Generator<JsonItem, void> {
    let at = this.isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? 3 : 0;
    this.isFirst = false;
    [this.nextQuote, this.nextBackslash] = [-1, -1];
    let start = at;
    for (; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.inString) {
        at = this.skipString(piece, at);
        continue;
      }
      if (this.kept === undefined) {
        if (byte <= 0x20) continue;
        if (!this.begins(byte)) continue;
        start = at;
        this.kept = [];
      }
      if (byte === quote) this.inString = true;
      else if (byte === openBracket || byte === openBrace) this.goDown();
      else if (byte === closeBracket || byte === closeBrace || byte === comma) {
        // A number or a word of the outer list ends where the next one begins.
        const isOver = byte === comma ? this.depth === 0 : --this.depth <= 0;
        if (!isOver) continue;
        const isOutside = byte === comma || this.depth < 0;
        this.keep(piece.subarray(start, isOutside ? at : at + 1));
        yield this.take();
        if (byte === comma) this.needsComma = false;
        else if (isOutside) this.root = "done";
      }
    }
    if (this.kept) this.keep(piece.subarray(start));
  }

  /** The place of the quote that ends the string, or the end of the piece. */
  private skipString(piece: Buffer, from: number): number {
    let at = this.isEscaped ? from + 1 : from;
    this.isEscaped = false;
    for (;;) {
      if (this.nextQuote < at) this.nextQuote = placeOf(piece, quote, at);
      if (this.nextBackslash < at) this.nextBackslash = placeOf(piece, backslash, at);
      if (this.nextBackslash > this.nextQuote || this.nextBackslash === piece.length) break;
      at = this.nextBackslash + 2;
    }
    this.isEscaped = at > piece.length;
    this.inString = this.nextQuote >= piece.length;
    return Math.min(this.nextQuote, piece.length);
  }

  end(): void {
    if (this.root === "none") throw new BrokenJson("not_json", 0);
    if (this.root !== "done") throw new BrokenJson("cut", this.items, this.startOfKept());
  }

  /** What stands between elements; true where one begins. */
  private begins(byte: number): boolean {
    switch (this.root) {
      case "none":
        if (byte === openBracket) this.root = "list";
        else if (byte === openBrace) this.root = "object";
        else throw new BrokenJson("not_json", 0);
        return this.root === "object";
      case "list":
        if (byte === closeBracket) this.root = "done";
        else if (byte === comma && this.needsComma) this.needsComma = false;
        else if (byte === comma || this.needsComma || byte === closeBrace)
          throw new BrokenJson("syntax", this.items);
        else return true;
        return false;
      case "object":
      case "done":
        throw new BrokenJson("syntax", this.items);
    }
  }

  private goDown(): void {
    if (++this.depth > this.limits.depth) this.isTooLarge = true;
  }

  private keep(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (this.bytes > this.limits.bytes) this.isTooLarge = true;
    const room = this.isTooLarge ? startBytes - this.keptBytes() : bytes.length;
    // A copy, or the whole piece that it came in would stay.
    if (room > 0) this.kept?.push(Buffer.from(bytes.subarray(0, room)));
    if (this.isTooLarge && this.keptBytes() > startBytes)
      this.kept = [Buffer.concat(this.kept ?? []).subarray(0, startBytes)];
  }

  private keptBytes = (): number => (this.kept ?? []).reduce((sum, { length }) => sum + length, 0);

  private startOfKept = (): string =>
    Buffer.concat(this.kept ?? [])
      .toString("utf8")
      .slice(0, startBytes);

  private take(): JsonItem {
    const item: JsonItem = this.isTooLarge
      ? { tooLarge: true, start: this.startOfKept() }
      : { text: Buffer.concat(this.kept ?? []).toString("utf8") };
    this.kept = undefined;
    [this.bytes, this.depth, this.isTooLarge, this.needsComma] = [0, 0, false, true];
    this.items++;
    if (this.root === "object") this.root = "done";
    return item;
  }
}
