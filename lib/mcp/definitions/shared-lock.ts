import { readFile } from "node:fs/promises";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { SharedChanges } from "@/lib/mcp/config/shared-documents";
import { type Lock, readLock, writeLock } from "./lock-file";
import type { LockEdit, LockPlace } from "./lock-place";

/** Each time another instance was first. */
const maxAttempts = 20;
/** First meetings that could not be stored, to be tried again. */
const maxUnmet = 1_000;

interface SharedLockOptions {
  /** Of the document. */
  name: string;
  /** Path of a lock file from before instances shared one: put in once. */
  seed: string;
  changes: SharedChanges;
  warn(message: string): void;
  /** Another instance has changed it. */
  onChange(): void;
}

interface Stored {
  text: string;
  version: number;
}

/** Pins that several instances share. Each change is made on what is stored at that moment, or is made again. */
export class SharedLock implements LockPlace {
  lock: Lock = new Map();
  /** Undefined where nothing is stored. */
  private stored: Stored | undefined;
  /** What cannot be read, with the next step. */
  private fault: string | undefined;
  private isLoaded = false;
  private unmet: LockEdit[] = [];
  private queue: Promise<void> = Promise.resolve();
  private stopFollowing = () => {};

  constructor(private readonly options: SharedLockOptions) {}

  get isBroken(): boolean {
    return this.fault !== undefined;
  }

  async load(): Promise<void> {
    const { changes, name } = this.options;
    this.stopFollowing = changes.follow(name, (version) => this.check(version));
    await this.inTurn(() => this.read());
  }

  change(edit: LockEdit): Promise<void> {
    return this.inTurn(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.read();
        // A text in its place would know one server only, and accept the next listing of all others.
        if (this.fault !== undefined) throw new McpConfigError("file_broken", this.fault);
        const next: Lock = this.stored ? readLock(this.stored.text) : new Map();
        if (!edit(next)) return;
        const text = writeLock(next);
        const { changes, name } = this.options;
        const version = await changes.documents.write(name, text, this.stored?.version);
        if (version !== undefined) return this.take({ text, version });
        if (attempt === maxAttempts)
          throw new McpConfigError(
            "stale",
            "Accepted tools are being changed by others all the time. Try again; nothing was changed.",
          );
      }
    });
  }

  async meet(edit: LockEdit): Promise<void> {
    try {
      await this.change(edit);
    } catch (cause) {
      if (this.unmet.length < maxUnmet) this.unmet.push(edit);
      this.options.warn(`What an MCP server lists cannot be stored now, so its tools ask first. (${cause})`);
    }
  }

  async saved(): Promise<void> {
    await this.queue;
  }

  close(): void {
    this.stopFollowing();
  }

  private async check(version: number | undefined): Promise<void> {
    const before = this.stored?.version;
    if (!this.isLoaded || this.isBroken || version !== before) await this.inTurn(() => this.read());
    const unmet = this.unmet.splice(0);
    for (const edit of unmet) await this.meet(edit);
    if (this.stored?.version !== before || unmet.length > 0) this.options.onChange();
  }

  private async read(): Promise<void> {
    const found = await this.options.changes.documents.read(this.options.name);
    this.isLoaded = true;
    if (!found && !this.stored) await this.plant();
    else if (found?.version !== this.stored?.version) this.take(found);
  }

  /** Of two first starts at once the one that comes second reads what the other has put in. */
  private async plant(): Promise<void> {
    const { changes, name, seed } = this.options;
    const text = await readFile(seed, "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause;
      return undefined;
    });
    if (text === undefined) return this.take(undefined);
    try {
      readLock(text);
    } catch (cause) {
      return this.break(`${seed} cannot be read. Fix or delete it.`, cause);
    }
    const version = await changes.documents.write(name, text, undefined);
    this.take(version === undefined ? await changes.documents.read(name) : { text, version });
  }

  private take(found: Stored | undefined): void {
    const { changes, name } = this.options;
    this.stored = found;
    try {
      this.lock = found ? readLock(found.text) : new Map();
      this.fault = undefined;
    } catch (cause) {
      const label = `${changes.documents.label}: ${name}`;
      this.break(`${label} cannot be read. If a newer Meguri has written it, start that version.`, cause);
    }
  }

  private break(fault: string, cause: unknown): void {
    if (fault !== this.fault) this.options.warn(`Until then every tool asks first: ${fault} (${cause})`);
    this.fault = fault;
    this.lock = new Map();
  }

  private inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.queue.then(work);
    this.queue = done.then(
      () => {},
      () => {},
    );
    return done;
  }
}
