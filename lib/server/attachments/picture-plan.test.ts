import fc from "fast-check";
import { expect, test } from "vitest";
import { noisyPng } from "@/lib/providers/testing/files";
import { gif, jpeg, jpegSegment, png, pngChunk, webp, webpChunk } from "@/lib/providers/testing/pictures";
import { exifOf, orientationOf } from "./exif-orientation";
import { plannedPieces, planPicture } from "./picture-plan";

async function* inPieces(bytes: Buffer, size = 7): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function bare(bytes: Buffer, size?: number): Promise<Buffer | null> {
  const plan = await planPicture(inPieces(bytes, size));
  if (!plan) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of plannedPieces(plan, inPieces(bytes, size))) pieces.push(piece);
  const told = Buffer.concat(pieces);
  expect(told.length).toBe(plan.size);
  return told;
}

const canary = "canary-35.6586,139.7454";
const exif = Buffer.concat([exifOf(6), Buffer.from(canary)]);
const jpegExif = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif]);

const full = {
  jpeg: jpeg([
    jpegSegment(0xe0, Buffer.concat([Buffer.from("JFIF\0", "latin1"), Buffer.alloc(9), Buffer.from(canary)])),
    jpegSegment(0xe1, jpegExif),
    jpegSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${canary}`)),
    jpegSegment(0xe2, Buffer.from(`ICC_PROFILE\0${canary}`)),
    jpegSegment(0xed, Buffer.from(`Photoshop 3.0\0${canary}`)),
    jpegSegment(0xee, Buffer.from(`Adobe\0d\0\0\0\0\0\x01${canary}`, "latin1")),
    jpegSegment(0xfe, Buffer.from(canary)),
  ]),
  png: png([
    pngChunk("tEXt", Buffer.from(`Author\0${canary}`)),
    pngChunk("iTXt", Buffer.from(canary)),
    pngChunk("zTXt", Buffer.from(canary)),
    pngChunk("eXIf", exif),
    pngChunk("tIME", Buffer.from(canary)),
    pngChunk("iCCP", Buffer.from(canary)),
    pngChunk("prVt", Buffer.from(canary)),
  ]),
  webp: webp(
    [webpChunk("ICCP", Buffer.from(canary))],
    [webpChunk("EXIF", exif), webpChunk("XMP ", Buffer.from(canary))],
  ),
  gif: gif([
    Buffer.concat([Buffer.from([0x21, 0xfe, canary.length]), Buffer.from(canary), Buffer.alloc(1)]),
    Buffer.concat([
      Buffer.from("\x21\xff\x0bXMP DataXMP", "latin1"),
      Buffer.from([canary.length]),
      Buffer.from(canary),
      Buffer.alloc(1),
    ]),
  ]),
};
const kinds = Object.keys(full) as (keyof typeof full)[];

test.each(kinds)("a %s says nothing beside its picture, in whatever pieces it comes", async (kind) => {
  const whole = Buffer.concat([full[kind], Buffer.from(canary)]);
  expect(whole.includes(canary)).toBe(true);
  const told = await bare(whole);
  expect(told?.includes("canary")).toBe(false);
  for (const size of [1, 3, 64, 1_000_000]) expect(await bare(whole, size)).toEqual(told);
  // What is told is such a picture, of which nothing more is to be taken.
  expect(await bare(told ?? Buffer.alloc(0))).toEqual(told);
});

test.each(["jpeg", "png", "webp"] as const)(
  "a %s that is held upright by its Exif data stays so",
  async (kind) => {
    const told = await bare(full[kind]);
    expect(orientationOf(told?.subarray(told.indexOf("MM\0*")) ?? Buffer.alloc(0))).toBe(6);
  },
);

test("the pixels stay as they are", async () => {
  const plain = noisyPng(8);
  expect(await bare(plain)).toEqual(plain);
  const [scan, told] = [Buffer.from([0x12, 0xff, 0, 0x34, 0xff, 0xd0, 0x56]), await bare(jpeg([]))];
  expect(told?.includes(scan)).toBe(true);
  expect(told?.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
});

test("an animation keeps its frames and how often it repeats", async () => {
  const loop = Buffer.from("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", "latin1");
  expect((await bare(gif([loop])))?.includes(loop)).toBe(true);
  const hidden = Buffer.from("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\x06canary\0", "latin1");
  expect((await bare(gif([hidden])))?.includes("canary")).toBe(false);
  const frame = (...chunks: Buffer[]) => webpChunk("ANMF", Buffer.concat([Buffer.alloc(16), ...chunks]));
  const drawn = webpChunk("VP8L", Buffer.from("pixels"));
  expect((await bare(webp([frame(drawn)], [])))?.includes("pixels")).toBe(true);
  expect(await bare(webp([frame(drawn, webpChunk("meta", Buffer.from(canary)))], []))).toBeNull();
});

test.each(kinds)("of a %s that breaks off nothing is told", async (kind) => {
  for (let length = 0; length < full[kind].length; length++)
    expect(await bare(full[kind].subarray(0, length), 64)).toBeNull();
});

test("whatever is broken is told as a picture, or not at all", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      async (kind, changes) => {
        const broken = Buffer.from(full[kind]);
        for (const [at, byte] of changes) broken[at % broken.length] = byte;
        const told = await bare(broken, 64);
        if (!told) return;
        // Read once more it is the same: what is kept is made of parts that are kept.
        expect(await bare(told, 64)).toEqual(told);
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  ["fill bytes", Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(4_000_000, 0xff)])],
  [
    "empty comments",
    Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(4_000_000, Buffer.from([0xff, 0xfe, 0, 2]))]),
  ],
  ["empty chunks", Buffer.concat([noisyPng(1).subarray(0, 33), Buffer.alloc(4_000_000)])],
  [
    "a chunk without end",
    Buffer.concat([noisyPng(1).subarray(0, 33), Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from("IDAT")]),
  ],
  ["no picture", Buffer.from("%PDF-1.4")],
])("%s make no picture", async (_, bytes) => {
  expect(await bare(bytes, 65_536)).toBeNull();
});
