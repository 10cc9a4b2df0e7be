import type { DatabaseSync } from "node:sqlite";
import type { Append } from "./engine";
import { StoreError } from "./errors";

/**
 * Bytes that only ends of runs and deletions may take: what a run has said is stored once more, as messages, when it ends. A run
 * keeps what it has written so far free for that.
 */
const keptForEnds = 2 * 1024 * 1024;
const copiesAtEnd = 2;
const leastToBegin = 64 * 1024;

/** The memory of a database that is nowhere else, and of the files beside it: together they stay under one bound. */
export class MemoryRoom {
  private held = 0;
  /** By run that has not ended, the bytes in its log. */
  private readonly unfinished = new Map<string, number>();
  private readonly pageSize: number;

  constructor(
    private readonly db: DatabaseSync,
    readonly maxBytes: number,
  ) {
    this.pageSize = this.pragma("page_size");
    this.bound();
  }

  /** Whether nothing new should begin. */
  get isFull(): boolean {
    return this.free() < leastToBegin;
  }

  /** Takes so many bytes for what is kept beside the database; false, and nothing is taken, when there are not as many. */
  hold(bytes: number): boolean {
    // Pages that are free count, as a database that has grown keeps them.
    if (this.free() - this.pragma("freelist_count") * this.pageSize < bytes) return false;
    this.held += bytes;
    this.bound();
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
    this.bound();
  }

  /** `memory_full` where the log would leave no room for the end of its run. The last events always fit. */
  checkAppends(appends: readonly Append[]): void {
    for (const { runId, ranges, contents, isOver, wire } of appends) {
      if (wire) this.checkWire(wire.body);
      // It may come after the end of its run, which nothing would take out again.
      if (ranges.length === 0) continue;
      if (isOver) {
        this.unfinished.delete(runId);
        continue;
      }
      const bytes = ranges.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
      let contentBytes = 0;
      for (const [hash, body] of contents ?? [])
        if (!this.isStored(hash)) contentBytes += Buffer.byteLength(body);
      if (this.free() < (1 + copiesAtEnd) * bytes + contentBytes) throw memoryFull();
      this.unfinished.set(runId, (this.unfinished.get(runId) ?? 0) + bytes);
    }
  }

  /** What was recorded of the wire leaves half for what chats say. */
  private checkWire(body: Uint8Array): void {
    if (this.free() < body.byteLength + this.maxBytes / 2) throw memoryFull();
  }

  /** What another run has named is not stored again. */
  private isStored(hash: string): boolean {
    return this.db.prepare("select 1 from request_content where hash = ?").get(hash) !== undefined;
  }

  private free(): number {
    const used = (this.pragma("page_count") - this.pragma("freelist_count")) * this.pageSize;
    let unfinished = 0;
    for (const bytes of this.unfinished.values()) unfinished += bytes;
    return this.maxBytes - this.held - used - copiesAtEnd * unfinished - keptForEnds;
  }

  /** Whatever else happens, SQLite takes no page beyond it. */
  private bound(): void {
    this.db.exec(`pragma max_page_count = ${Math.floor((this.maxBytes - this.held) / this.pageSize)}`);
  }

  private pragma(name: "page_size" | "page_count" | "freelist_count"): number {
    return Number(this.db.prepare(`pragma ${name}`).get()?.[name]);
  }
}

const memoryFull = () => new StoreError("memory_full", "A log would leave no memory for the end of its run.");
