import { crc32 } from "node:zlib";
import { noisyPng } from "./files";

/** The bones of pictures, with segments of one's choice in them: what is read of their form, and no image that shows anything. */
export function jpeg(segments: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...segments,
    jpegSegment(0xdb, Buffer.alloc(65)),
    jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0])),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    // Image data with an escape and a restart in it.
    Buffer.from([0x12, 0xff, 0, 0x34, 0xff, 0xd0, 0x56]),
    Buffer.from([0xff, 0xd9]),
  ]);
}

export function jpegSegment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}

/** One that shows eight pixels a side, with chunks behind its head. */
export function png(chunks: Buffer[]): Buffer {
  const plain = noisyPng(8);
  const head = 33;
  return Buffer.concat([plain.subarray(0, head), ...chunks, plain.subarray(head)]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

export function webp(before: Buffer[], behind: Buffer[]): Buffer {
  const chunks = [
    webpChunk("VP8X", Buffer.from([0x2c, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    ...before,
    webpChunk("VP8L", Buffer.from("drawn")),
    ...behind,
  ];
  const body = Buffer.concat([Buffer.from("WEBP"), ...chunks]);
  const head = Buffer.from("RIFF\0\0\0\0", "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export function webpChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** One white pixel, with blocks before it. */
export function gif(blocks: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from("GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0", "latin1"),
    Buffer.from("\x21\xf9\x04\0\0\0\0\0", "latin1"),
    ...blocks,
    Buffer.from("\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3b", "latin1"),
  ]);
}
