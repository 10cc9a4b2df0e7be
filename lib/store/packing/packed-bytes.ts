import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
  crc32,
} from "node:zlib";
import { readVarints, writeVarints } from "./varints";

/** Higher ones take forty times as long for a tenth. */
const quality = 5;
/** Bytes that are compressed at once, in 0.05 ms: to ask another thread for it takes three times as long, … */
const small = 4_096;
/** … as does the next higher one to set up its tables, for a twentieth. */
const smallQuality = 4;
/** Bytes that are unpacked at once, in about 1 ms; what becomes more, however little it is, by another thread. */
const atOnce = 524_288;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Compressed, after a number that says what it is, its size and its checksum. */
export async function packBytes(form: number, raw: Uint8Array): Promise<Uint8Array> {
  const isSmall = raw.length <= small;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: isSmall ? smallQuality : quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    // By default it takes memory for a window of 4 MB.
    [constants.BROTLI_PARAM_LGWIN]: Math.min(22, Math.max(16, Math.ceil(Math.log2(raw.length + 1)))),
  };
  const packed = isSmall ? brotliCompressSync(raw, { params }) : await compress(raw, { params });
  return Buffer.concat([writeVarints([form, raw.length, crc32(raw)]), packed]);
}

/** How many bytes these become; 0 where they are not whole. */
export function unpackedSize(bytes: Uint8Array): number {
  try {
    return readVarints(bytes, 0, 2).values[1] ?? 0;
  } catch {
    return 0;
  }
}

/** Throws where these are not whole. */
export async function unpackBytes(bytes: Uint8Array): Promise<{ form: number; raw: Buffer }> {
  const { values, end } = readVarints(bytes, 0, 3);
  const [form = 0, size = 0, checksum] = values;
  const packed = bytes.subarray(end);
  const bound = { maxOutputLength: Math.max(1, size) };
  const raw = size > atOnce ? await decompress(packed, bound) : brotliDecompressSync(packed, bound);
  if (raw.length !== size || crc32(raw) !== checksum) throw new Error("its checksum is another one");
  return { form, raw };
}
