import fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64, liftData } from "./lift-data";

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lifted(json: string, size: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of liftData(cut(Buffer.from(json), size))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("the data of files becomes its place, wherever the pieces are cut; all else stays", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 3 }),
      fc.jsonValue(),
      fc.integer({ min: 1, max: 30 }),
      async (files, other, size) => {
        const data = files.map((bytes) => Buffer.from(bytes).toString("base64"));
        const value = {
          ...{
            meguri: "conversation",
            "\\files": '"data":"x',
            messages: [{ files: [{ data: "kept" }], other }],
          },
          files: data.map((one, at) => ({
            id: `f${at}`,
            note: '"data":"x"',
            data: one,
            nested: { data: "kept" },
          })),
          later: { files: [{ data: "kept" }] },
        };
        const json = JSON.stringify(value, null, 1);
        const read = JSON.parse(await lifted(json, size));
        const places: [number, number][] = read.files.map((file: { data: [number, number] }) => file.data);
        expect(places.map(([start, end]) => Buffer.from(json).subarray(start, end).toString())).toEqual(data);
        for (const [at, file] of read.files.entries()) file.data = data[at];
        expect(read).toEqual(JSON.parse(json));
      },
    ),
  );
});

test("base64 is read in any pieces", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.integer({ min: 1, max: 9 }), async (bytes, size) => {
      const text = Buffer.from(Buffer.from(bytes).toString("base64"));
      const pieces: Uint8Array[] = [];
      for await (const piece of fromBase64(cut(text, size))) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(Buffer.from(bytes))).toBe(true);
    }),
  );
});
