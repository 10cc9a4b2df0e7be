/** Bytes that come in pieces, read in order; holds one piece. */
export class ByteReader {
  /** Of the next byte. */
  at = 0;
  private held: Uint8Array = new Uint8Array();
  private next = 0;
  private readonly pieces: AsyncIterator<Uint8Array>;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** So many bytes; undefined where there are fewer. For what is small. */
  async take(count: number): Promise<Buffer | undefined> {
    const taken = Buffer.alloc(count);
    for (let filled = 0; filled < count; ) {
      if (!(await this.fill())) return undefined;
      const part = this.held.subarray(this.next, this.next + count - filled);
      taken.set(part, filled);
      filled += part.length;
      this.advance(part.length);
    }
    return taken;
  }

  /** False where there are fewer. */
  async skip(count: number): Promise<boolean> {
    for (let left = count; left > 0; ) {
      if (!(await this.fill())) return false;
      const part = Math.min(left, this.held.length - this.next);
      left -= part;
      this.advance(part);
    }
    return true;
  }

  /** Up to and with the byte at which `isLast` is true; false where there is none. */
  async scan(isLast: (byte: number) => boolean): Promise<boolean> {
    while (await this.fill()) {
      const { held, next } = this;
      for (let index = next; index < held.length; index++)
        if (isLast(held[index] as number)) {
          this.advance(index + 1 - next);
          return true;
        }
      this.advance(held.length - next);
    }
    return false;
  }

  /** Lets go of where the bytes come from. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private advance(count: number): void {
    this.next += count;
    this.at += count;
  }

  private async fill(): Promise<boolean> {
    while (this.next >= this.held.length) {
      const { done, value } = await this.pieces.next();
      if (done) return false;
      [this.held, this.next] = [value, 0];
    }
    return true;
  }
}
