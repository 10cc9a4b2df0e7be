import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Takes what a body says; `end` gets what is left of it. */
interface TextReader {
  text(piece: string): void;
  end(rest: string): void;
  fail(cause: unknown): void;
}

/** The text of a response body, as its bytes come in: unpacked, with characters that are split over two pieces whole. */
export class BodyText {
  private readonly decoder = new StringDecoder("utf8");
  private readonly unpacker: Transform | undefined;

  /** `encoding` is the header `content-encoding`. */
  constructor(
    encoding: string | undefined,
    private readonly reader: TextReader,
  ) {
    this.unpacker = encoding ? unpackerFor(encoding) : undefined;
    this.unpacker
      ?.on("data", this.take)
      .on("end", this.finish)
      .on("error", (cause) => reader.fail(cause));
  }

  write(bytes: Buffer): void {
    if (this.unpacker) this.unpacker.write(bytes);
    else this.take(bytes);
  }

  end(): void {
    if (this.unpacker) this.unpacker.end();
    else this.finish();
  }

  destroy(): void {
    this.unpacker?.destroy();
  }

  private take = (bytes: Buffer): void => this.reader.text(this.decoder.write(bytes));
  private finish = (): void => this.reader.end(this.decoder.end());
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
const plain = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };

/**
 * What unpacks a body with this `content-encoding`, as it comes; nothing for one that is not packed. No adapter asks for
 * packed answers, but there are proxies that pack what nobody asked for.
 */
function unpackerFor(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip(plain);
    case "deflate":
      return createInflate(plain);
    case "br":
      return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}
