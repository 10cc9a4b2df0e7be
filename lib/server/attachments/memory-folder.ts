import { temporaryFull } from "@/lib/server/http/store-failure";
import type { MemoryRoom } from "@/lib/store/memory-room";
import { type ByteFolder, type FileSource, idOf } from "./byte-folder";

/** Files in memory alone, within the room that they share with the store; 507 where there is none left. */
export class MemoryFolder implements ByteFolder {
  private readonly files = new Map<string, Buffer<ArrayBuffer>>();

  constructor(private readonly room: Pick<MemoryRoom, "hold" | "release" | "maxBytes">) {}

  async write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
    const parts: Uint8Array[] = [];
    let held = 0;
    try {
      for await (const piece of pieces) {
        this.hold(piece.byteLength);
        held += piece.byteLength;
        parts.push(piece);
      }
    } catch (cause) {
      this.room.release(held);
      throw cause;
    }
    this.files.set(name, Buffer.concat(parts));
    return held;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.hold(bytes.byteLength);
    await this.remove([name]);
    this.files.set(name, Buffer.from(bytes));
  }

  source(name: string, size: number): FileSource {
    return { size, pieces: () => this.pieces(name) };
  }

  async rename(from: string, to: string): Promise<void> {
    const bytes = this.get(from);
    this.files.delete(from);
    await this.remove([to]);
    this.files.set(to, bytes);
  }

  copy(from: string, to: string): Promise<void> {
    return this.put(to, this.get(from));
  }

  async copyOut(): Promise<void> {
    throw new Error("What is in memory alone is put into no folder.");
  }

  async has(name: string): Promise<boolean> {
    return this.files.has(name);
  }

  async read(name: string): Promise<Buffer> {
    return this.get(name);
  }

  async *pieces(name: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield this.get(name);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.room.release(this.files.get(name)?.byteLength ?? 0);
      this.files.delete(name);
    }
  }

  async sweep(known: ReadonlySet<string>): Promise<void> {
    await this.remove([...this.files.keys()].filter((name) => !known.has(idOf(name))));
  }

  async usage(): Promise<{ bytes: number; free: number }> {
    let bytes = 0;
    for (const file of this.files.values()) bytes += file.byteLength;
    return { bytes, free: this.room.maxBytes - bytes };
  }

  private hold(bytes: number): void {
    if (!this.room.hold(bytes)) throw temporaryFull();
  }

  private get(name: string): Buffer<ArrayBuffer> {
    const found = this.files.get(name);
    if (!found) throw new Error(`There is no file ${name} in memory.`);
    return found;
  }
}

/** No server is given a path to one. */
export const noCopies = {
  put: async (): Promise<string> => {
    throw new Error("What is in memory alone is put into no folder.");
  },
  delete: async (): Promise<void> => {},
  sweep: async (): Promise<void> => {},
};
