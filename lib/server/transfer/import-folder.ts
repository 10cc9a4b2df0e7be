import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { readPieces } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";

const maxBytes = 2 * 1024 ** 3;

const deleting = () =>
  new HttpError(503, "deleting", "Everything is being deleted; try again in a moment.", undefined, 2);

interface Begun {
  stop: AbortController;
  ended: PromiseWithResolvers<void>;
}

/** What no form of another page can send without being asked for (`text/plain` and the like are the only ones it can). */
const types = ["application/octet-stream", "application/json", "application/zip"];

const underWay = () =>
  new HttpError(
    409,
    "import_running",
    "Another import is under way; wait until it has ended, or cancel it, and try again.",
  );

/** Where files lie while they are imported, and who is importing. */
export class ImportFolder {
  private readonly busy = new Map<string, Begun>();
  private isPaused = false;

  constructor(private readonly dir: string) {}

  /** Nothing outlives its request: what is here at a start was left by a crash. */
  async clear(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }

  /** One at a time for each person. Gives when it is to stop, and what ends it. */
  begin(userId: string): { signal: AbortSignal; end(): void } {
    if (this.isPaused) throw deleting();
    if (this.busy.has(userId)) throw underWay();
    const begun: Begun = { stop: new AbortController(), ended: Promise.withResolvers() };
    this.busy.set(userId, begun);
    return {
      signal: begun.stop.signal,
      end: () => {
        this.busy.delete(userId);
        begun.ended.resolve();
      },
    };
  }

  /** Stops what is under way and lets nothing begin until the work has ended. */
  async pausedFor(work: () => Promise<void>): Promise<void> {
    this.isPaused = true;
    try {
      const begun = [...this.busy.values()];
      for (const { stop } of begun) stop.abort(deleting());
      await Promise.all(begun.map(({ ended }) => ended.promise));
      await work();
    } finally {
      this.isPaused = false;
    }
  }

  /** The body of a request as a file; who gets it removes it. */
  async receive(request: Request, signal: AbortSignal): Promise<string> {
    const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (!type || !types.includes(type))
      throw new HttpError(415, "unsupported_media_type", `Send the file with Content-Type: ${types[0]}.`);
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const path = join(this.dir, randomUUID());
    const tooLarge =
      "The file is too large; an export may have at most 2 GB. Ask for a smaller part of it, or choose the conversations.json in it.";
    try {
      // Opened before anything can fail: a stream that opens it later would make the file anew after it was removed.
      const file = (await open(path, "wx", 0o600)).createWriteStream();
      await pipeline(readPieces(request, maxBytes, tooLarge), file, { signal });
      if (file.bytesWritten > 0) return path;
      throw new HttpError(400, "invalid_input", "The body is empty; send the JSON or the zip of an export.");
    } catch (cause) {
      await this.remove(path);
      signal.throwIfAborted();
      throw cause;
    }
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
  }
}
