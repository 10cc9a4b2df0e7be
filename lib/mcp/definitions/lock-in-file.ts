import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { writeFileAtomically } from "@/lib/mcp/config/write-file";
import { type Lock, readLock, writeLock } from "./lock-file";
import type { LockEdit, LockPlace } from "./lock-place";

/** Pins in a file that this process alone writes. */
export class LockInFile implements LockPlace {
  lock: Lock = new Map();
  isBroken = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly warn: (message: string) => void,
  ) {}

  load(): void {
    try {
      this.lock = readLock(readFileSync(this.path, "utf8"));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return;
      this.isBroken = true;
      this.warn(`${this.path} cannot be read, so every tool asks first. Fix or delete it. (${cause})`);
    }
  }

  async change(edit: LockEdit): Promise<void> {
    // A file that replaces the broken one would know this server only, and accept the next listing of all others.
    if (this.isBroken)
      throw new McpConfigError(
        "file_broken",
        `${this.path} cannot be read. Fix or delete it, then restart Meguri.`,
      );
    this.meet(edit);
    await this.writing;
  }

  meet(edit: LockEdit): void {
    if (edit(this.lock)) this.write();
  }

  saved(): Promise<void> {
    return this.writing;
  }

  close(): void {}

  private write(): void {
    const text = writeLock(this.lock);
    this.writing = this.writing
      .then(() => mkdir(dirname(this.path), { recursive: true }))
      .then(() => writeFileAtomically(this.path, text))
      .catch((cause) =>
        this.warn(`${this.path} cannot be written, so pins last until the end only. (${cause})`),
      );
  }
}
