import { close, fdatasync, open } from "node:fs";
import { promisify } from "node:util";
import { StoreError } from "./errors";

const [openFile, closeFile, syncFile] = [promisify(open), promisify(close), promisify(fdatasync)];

/**
 * Waits for the disk in a thread: what SQLite has committed to a journal without waiting survives a power cut when `sync` resolves.
 * SQLite itself waits in the thread of its caller, which is that of the event loop.
 */
export class JournalSync {
  private descriptor: Promise<number> | undefined;
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(private readonly path: string) {}

  /** Rejects with a StoreError. Those who ask while one is under way share the next one. */
  sync(): Promise<void> {
    if (this.next) return this.next;
    this.next = this.underWay.then(() => {
      this.next = undefined;
      const done = this.flush();
      this.underWay = done.catch(() => {});
      return done;
    });
    // Of those who shared a commit each may have been refused: then nobody waits for it.
    this.next.catch(() => {});
    return this.next;
  }

  /** The file is another one from now on, or none any more. */
  async close(): Promise<void> {
    const descriptor = await this.descriptor?.catch(() => undefined);
    this.descriptor = undefined;
    await this.underWay;
    if (descriptor !== undefined) await closeFile(descriptor);
  }

  private async flush(): Promise<void> {
    try {
      // Windows wants the right to write.
      this.descriptor ??= openFile(this.path, "r+");
      await syncFile(await this.descriptor);
    } catch (cause) {
      this.descriptor = undefined;
      throw new StoreError(
        "io",
        `${this.path} cannot be used (${(cause as Error).message}); check the disk and the permissions of DATA_DIR.`,
        { cause },
      );
    }
  }
}
