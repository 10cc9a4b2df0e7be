import type { Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
const plain = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };

/**
 * What unpacks a body with this `content-encoding`, as it comes; nothing for one that is not packed. No adapter asks for
 * packed answers, but there are proxies that pack what nobody asked for.
 */
export function unpackerFor(encoding: string): Transform | undefined {
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
