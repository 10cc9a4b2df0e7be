/** Text that any number of readers get, encoded once. */
export class Packet {
  /** With the frame of HTTP/1.1's chunked coding round it, for who writes to the socket itself. */
  readonly chunked: Buffer;
  private readonly start: number;

  constructor(text: string) {
    const size = `${Buffer.byteLength(text).toString(16)}\r\n`;
    this.chunked = Buffer.from(`${size}${text}\r\n`);
    this.start = size.length;
  }

  /** Written to a socket in chunks it would be the end of the answer. */
  get isEmpty(): boolean {
    return this.chunked.length === this.start + 2;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.chunked.subarray(this.start, -2) as Uint8Array<ArrayBuffer>;
  }
}
