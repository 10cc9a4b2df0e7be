import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The bytes of attachments in a folder, each under its id; what the model reads of a document lies beside it. */
export class AttachmentFiles {
  constructor(private readonly dir: string) {}

  /** Whole or not at all: a crash leaves nothing that looks like the file. */
  async write(id: string, bytes: Uint8Array, text: string | null): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    if (text !== null) await this.put(textOf(id), text);
    await this.put(id, bytes);
  }

  read(id: string): Promise<Buffer> {
    return readFile(this.path(id));
  }

  readText(id: string): Promise<string> {
    return readFile(this.path(textOf(id)), "utf8");
  }

  async copy(from: string, to: string, withText: boolean): Promise<void> {
    if (withText) await copyFile(this.path(textOf(from)), this.path(textOf(to)));
    await copyFile(this.path(from), this.path(to));
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await Promise.all([this.path(id), this.path(textOf(id))].map((path) => rm(path, { force: true })));
  }

  /** Deletes what no row speaks of: the rest of an upload or a deletion that a crash cut short. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.dir).catch(() => []);
    for (const name of names)
      if (!known.has(name.replace(/\.(txt|part|txt\.part)$/, "")))
        await rm(join(this.dir, name), { force: true });
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
