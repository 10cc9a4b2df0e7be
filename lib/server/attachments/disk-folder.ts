import { createReadStream, createWriteStream } from "node:fs";
import {
  access,
  constants,
  copyFile,
  mkdir,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type ByteFolder, idOf } from "./byte-folder";

/** A folder for its owner alone, made when something is put into it. */
export class DiskFolder implements ByteFolder {
  constructor(private readonly dir: string) {}

  async write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
    await this.make();
    const file = createWriteStream(this.source(name), { mode: 0o600, flush: true });
    await pipeline(pieces, file);
    return file.bytesWritten;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.make();
    const part = this.source(`${name}.part`);
    await writeFile(part, bytes, { mode: 0o600, flush: true });
    await rename(part, this.source(name));
  }

  source(name: string): string {
    return join(this.dir, name);
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.source(from), this.source(to));
  }

  copy(from: string, to: string): Promise<void> {
    return copyFile(this.source(from), this.source(to));
  }

  copyOut(name: string, path: string): Promise<void> {
    return copyFile(this.source(name), path, constants.COPYFILE_EXCL);
  }

  has(name: string): Promise<boolean> {
    return access(this.source(name)).then(
      () => true,
      () => false,
    );
  }

  read(name: string): Promise<Buffer> {
    return readFile(this.source(name));
  }

  async *pieces(name: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield* createReadStream(this.source(name)) as AsyncIterable<Buffer<ArrayBuffer>>;
  }

  async remove(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => rm(this.source(name), { force: true })));
  }

  async sweep(known: ReadonlySet<string>): Promise<void> {
    for (const name of await this.names()) if (!known.has(idOf(name))) await this.remove([name]);
  }

  names(): Promise<string[]> {
    return readdir(this.dir).catch(() => []);
  }

  async usage(): Promise<{ bytes: number; free: number }> {
    await this.make();
    const { bavail, bsize } = await statfs(this.dir);
    let bytes = 0;
    // One that is deleted in between takes nothing.
    for await (const { name } of await opendir(this.dir))
      bytes += await stat(this.source(name)).then(
        ({ size }) => size,
        () => 0,
      );
    return { bytes, free: bavail * bsize };
  }

  private async make(): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
  }
}
