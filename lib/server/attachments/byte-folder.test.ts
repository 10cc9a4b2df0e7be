import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import { BlobFolder } from "./blob-folder";
import type { ByteFolder } from "./byte-folder";
import { DiskFolder } from "./disk-folder";
import { MemoryFolder } from "./memory-folder";

const room = { hold: () => true, release: () => {}, maxBytes: 1e9 };

async function openBlobs(): Promise<ByteFolder> {
  const { blobs } = await openTempStore();
  if (!blobs) throw new Error("PostgreSQL keeps files in the database.");
  return new BlobFolder(blobs);
}

const folders: [string, () => Promise<ByteFolder>][] = [
  ["a folder of the disk", async () => new DiskFolder(join(tempDir(), "attachments"))],
  ["memory", async () => new MemoryFolder(room)],
  ...(process.env.STORE_ENGINE === "postgres"
    ? [["the database", openBlobs] as [string, typeof openBlobs]]
    : []),
];

/** As they come from a network: of no size in particular. */
async function* piecesOf(bytes: Uint8Array, size = 60_000): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts);
}

describe.each(folders)("in %s", (kind, open) => {
  test("files of any size come back as they were", async () => {
    const folder = await open();
    let sum = 0;
    for (const size of [0, 1, 262_143, 262_144, 262_145, 1_000_000]) {
      const bytes = randomBytes(size);
      const [a, b, c] = ["a", "b", "c"].map((name) => `${name}${size}`) as [string, string, string];
      expect(await folder.write(`${a}.part`, piecesOf(bytes))).toBe(size);
      await folder.rename(`${a}.part`, a);
      await folder.put(b, bytes);
      await folder.copy(b, c);
      for (const name of [a, b, c]) {
        expect(await folder.has(name)).toBe(true);
        expect((await folder.read(name)).equals(bytes)).toBe(true);
        expect((await whole(folder.pieces(name))).equals(bytes)).toBe(true);
      }
      expect([await folder.has(`${a}.part`), await folder.has(`${b}.part`)]).toEqual([false, false]);
      sum += 3 * size;
      expect((await folder.usage()).bytes).toBe(sum);
    }
  });

  test("what takes the place of a file has nothing of it", async () => {
    const folder = await open();
    for (const name of ["a.part", "a", "b", "c"]) await folder.write(name, piecesOf(randomBytes(900_000)));
    await folder.write("a.part", piecesOf(Buffer.from("short")));
    await folder.rename("a.part", "a");
    await folder.copy("a", "b");
    await folder.put("c", Buffer.from("short"));
    for (const name of ["a", "b", "c"]) expect(String(await folder.read(name))).toBe("short");
  });

  test("a file can be looked into before it is kept, more than once", async () => {
    const folder = await open();
    const bytes = randomBytes(400_000);
    await folder.write("a.part", piecesOf(bytes));
    const source = folder.source("a.part", bytes.byteLength);
    for (let time = 0; time < 2; time++) {
      const read = typeof source === "string" ? await readFile(source) : await whole(source.pieces());
      expect(read.equals(bytes)).toBe(true);
    }
  });

  test("a sender who breaks off leaves no file, and what came goes with it", async () => {
    const folder = await open();
    const broken = async function* () {
      yield* piecesOf(randomBytes(600_000));
      throw new Error("gone");
    };
    await expect(folder.write("a.part", broken())).rejects.toThrow("gone");
    expect(await folder.has("a")).toBe(false);
    await folder.remove(["a", "a.txt", "a.part"]);
    expect(await folder.has("a.part")).toBe(false);
    expect((await folder.usage()).bytes).toBe(0);
  });

  test("what is not there is refused, and removing it is nothing", async () => {
    const folder = await open();
    for (const name of ["b", "c"]) await folder.put(name, Buffer.from(name));
    await folder.remove(["b", "b", "never"]);
    for (const name of ["b", "never"]) {
      expect(await folder.has(name)).toBe(false);
      await expect((async () => folder.read(name))()).rejects.toThrow();
      await expect(whole(folder.pieces(name))).rejects.toThrow();
      await expect((async () => folder.rename(name, "c"))()).rejects.toThrow();
      await expect((async () => folder.copy(name, "c"))()).rejects.toThrow();
    }
    expect(String(await folder.read("c"))).toBe("c");
  });

  test.skipIf(kind === "memory")("a copy elsewhere is whole, and writes over nothing", async () => {
    const folder = await open();
    const bytes = randomBytes(700_000);
    await folder.put("a", bytes);
    const dir = tempDir();
    await folder.copyOut("a", join(dir, "new"));
    expect((await readFile(join(dir, "new"))).equals(bytes)).toBe(true);
    await writeFile(join(dir, "old"), "mine");
    await expect(folder.copyOut("a", join(dir, "old"))).rejects.toMatchObject({ code: "EEXIST" });
    expect(await readFile(join(dir, "old"), "utf8")).toBe("mine");
  });

  test("what no attachment has goes, but for what another process may be writing", async () => {
    const folder = await open();
    for (const name of ["a", "a.txt", "b", "b.txt", "c.part"]) await folder.put(name, Buffer.from(name));
    await folder.sweep(new Set(["a"]));
    const left = kind === "the database";
    for (const name of ["a", "a.txt"]) expect(await folder.has(name)).toBe(true);
    for (const name of ["b", "b.txt", "c.part"]) expect(await folder.has(name), name).toBe(left);
  });
});
