import { close, fdatasync, open } from "node:fs";
import { promisify } from "node:util";
import { StoreError } from "./errors";

const [openFile, closeFile, syncFile] = [promisify(open), promisify(close), promisify(fdatasync)];

/**
 * Waits for the disk in a thread: what SQLite has committed to a journal without waiting survives a power cut when `sync` resolves.
 * SQLite itself waits in the thread of its caller, which is that of the event loop.
 */
export class JournalSync {
  private descriptor: number | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(private readonly path: string) {}

  /** Rejects with a StoreError. Those who ask while one is under way share the next one. */
  sync(): Promise<void> {
    this.next ??= this.inTurn(() => {
      this.next = undefined;
      return this.flush();
    });
    return this.next;
  }

  /** The file is another one from now on, or none any more. */
  close(): Promise<void> {
    return this.inTurn(async () => {
      const { descriptor } = this;
      this.descriptor = undefined;
      if (descriptor !== undefined) await closeFile(descriptor);
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  private async flush(): Promise<void> {
    try {
      this.descriptor ??= await openFile(this.path, "r");
      await syncFile(this.descriptor);
    } catch (cause) {
      throw new StoreError(
        "io",
        `${this.path} cannot be used (${(cause as Error).message}); check the disk and the permissions of DATA_DIR.`,
        { cause },
      );
    }
  }
}
