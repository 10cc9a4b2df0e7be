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
import { overloaded } from "@/lib/server/http/errors";
import { FileCopies } from "./file-copies";
import { Slots } from "./slots";

/** Bytes of files that calls in flight hold in memory, of all runs of the process. */
const maxLent = 64 * 1024 * 1024;

/** The bytes of attachments in a folder, each under its id; what the model reads of a document is in a file beside it. */
export class AttachmentFiles {
  readonly uploads = new Slots(
    { atOnce: 32, waiting: 0 },
    overloaded("Too many files are being uploaded at once; try again in a few seconds."),
  );
  /** A message names at most ten. */
  readonly pdfs = new Slots(
    { atOnce: 1, waiting: 20 },
    overloaded("Too many PDFs are being read at once; try again in a few seconds."),
  );
  /** Each reads one file at a time, and goes on as long as its reader takes it. */
  readonly exports = new Slots(
    { atOnce: 8, waiting: 0 },
    overloaded("Too many exports are being made at once; try again when one has ended."),
  );

  /** Those that servers were given by their path. */
  readonly copies: FileCopies;
  private lent = 0;

  constructor(
    private readonly dir: string,
    /** Of all files of one person together. */
    readonly maxBytes: number,
  ) {
    this.copies = new FileCopies(`${dir}-copies.json`);
  }

  /** Writes what comes as it comes; `keep` makes an attachment of it. `size` in bytes. */
  async receive(id: string, pieces: AsyncIterable<Uint8Array>): Promise<{ path: string; size: number }> {
    await this.makeFolder();
    const path = this.path(`${id}.part`);
    const file = createWriteStream(path, { mode: 0o600, flush: true });
    await pipeline(pieces, file);
    return { path, size: file.bytesWritten };
  }

  /** Whole or not at all: a crash leaves nothing that looks like the file. */
  async keep(id: string, text: string | null): Promise<void> {
    if (text !== null) await this.put(textOf(id), text);
    await rename(this.path(`${id}.part`), this.path(id));
  }

  /** `receive` and `keep` for what is in memory. */
  async write(id: string, bytes: Uint8Array): Promise<void> {
    await this.makeFolder();
    await this.put(id, bytes);
  }

  has(id: string): Promise<boolean> {
    return access(this.path(id)).then(
      () => true,
      () => false,
    );
  }

  read(id: string): Promise<Buffer> {
    return readFile(this.path(id));
  }

  /** The bytes in pieces, as fast as they are taken; the file is opened with the first and closed with the last. */
  async *pieces(id: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield* createReadStream(this.path(id)) as AsyncIterable<Buffer<ArrayBuffer>>;
  }

  readText(id: string): Promise<string> {
    return readFile(this.path(textOf(id)), "utf8");
  }

  async copy(from: string, to: string, withText: boolean): Promise<void> {
    if (withText) await copyFile(this.path(textOf(from)), this.path(textOf(to)));
    await copyFile(this.path(from), this.path(to));
  }

  /** Room in memory for what a call carries; returns what gives it back, or nothing while there is none. */
  lend(bytes: number): (() => void) | undefined {
    if (this.lent + bytes > maxLent) return undefined;
    this.lent += bytes;
    return () => {
      this.lent -= bytes;
    };
  }

  /** Writes the bytes to a path elsewhere, where there must be nothing yet. */
  async copyOut(id: string, path: string): Promise<void> {
    await copyFile(this.path(id), path, constants.COPYFILE_EXCL);
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.copies.delete(ids);
    for (const id of ids)
      await Promise.all([id, textOf(id), `${id}.part`].map((name) => rm(this.path(name), { force: true })));
  }

  /** What the files of the folder take, and what their disk has room for, in bytes. */
  async usage(): Promise<{ bytes: number; free: number }> {
    await this.makeFolder();
    const { bavail, bsize } = await statfs(this.dir);
    let bytes = 0;
    // One that is deleted in between takes nothing.
    for await (const { name } of await opendir(this.dir))
      bytes += await stat(join(this.dir, name)).then(
        ({ size }) => size,
        () => 0,
      );
    return { bytes, free: bavail * bsize };
  }

  /** Deletes what no row speaks of: the rest of an upload or a deletion that a crash cut short. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    await this.copies.sweep(known);
    const names = await readdir(this.dir).catch(() => []);
    for (const name of names)
      if (!known.has(name.replace(/\.(txt|part|txt\.part)$/, "")))
        await rm(join(this.dir, name), { force: true });
  }

  private async makeFolder(): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
  }

  private async put(name: string, content: Uint8Array | string): Promise<void> {
    const part = this.path(`${name}.part`);
    await writeFile(part, content, { mode: 0o600, flush: true });
    await rename(part, this.path(name));
  }

  /** Ids are ours; whatever else comes in here must not leave the folder. */
  private path(name: string): string {
    if (!/^[\w-]+(\.txt)?(\.part)?$/.test(name)) throw new Error(`Not the name of an attachment: ${name}`);
    return join(this.dir, name);
  }
}

const textOf = (id: string) => `${id}.txt`;
