import { join } from "node:path";
import { z } from "zod";
import type { Documents } from "@/lib/store/kept-ports";
import { type Leases, withLease } from "@/lib/store/leases";
import { FolderCopy, type FolderTexts, hashOf } from "./folder-copy";
import { FolderSource, type SourceChange } from "./folder-source";

interface SharedFolderOptions {
  /** Begins the names of its documents. */
  name: string;
  /** The folder that this instance was given, which is only read; it need not be there. */
  source: string;
  /** What of the source is shared, by name; none where it is not there. */
  read(dir: string): Promise<ReadonlyMap<string, FolderTexts>>;
  /** Of this instance. */
  dataDir: string;
  documents: Documents;
  leases: Leases;
  warn(message: string, cause?: unknown): void;
}

/** What a document holds. */
const Stored = z.object({
  /** Null: it was deleted. */
  texts: z.record(z.string(), z.string()).nullable(),
  /** Hashes of what was taken up from folders under this name, the newest last; without any it was made here. */
  taken: z.array(z.string()),
});
type Stored = z.infer<typeof Stored>;

/** In place of a hash: it went from a folder. */
const gone = "gone";
const maxTaken = 20;
/** Each time another instance was first. */
const maxAttempts = 5;
const pollMs = 2_000;
/** In ms: to look, to check and to write; and for others to have done so. */
const turn = { mostMs: 10_000, waitMs: 3_000 };

/**
 * The files of a folder as all instances have them: a document for each name in it, and a copy on the disk of each instance, where
 * they are read. What changes in the folder that an instance was given is taken up, once; what was changed here goes before it.
 */
export class SharedFolder {
  private readonly copy: FolderCopy;
  private readonly source: FolderSource;
  /** By name; what was taken is undefined where the document cannot be read. */
  private readonly known = new Map<string, { version: number; taken: Stored["taken"] | undefined }>();
  private looking: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private hasFailed = false;

  private constructor(private readonly options: SharedFolderOptions) {
    const { dataDir, name, source: dir, read } = options;
    this.copy = new FolderCopy(join(dataDir, "shared", name));
    this.source = new FolderSource({ dir, read, memory: join(dataDir, "shared", `${name}.json`) });
  }

  /** Throws what keeps the database from being read. */
  static async open(options: SharedFolderOptions): Promise<SharedFolder> {
    const folder = new SharedFolder(options);
    await folder.source.remember();
    await folder.lookOnce();
    await folder.copy.keep(new Set(folder.known.keys()));
    folder.lookLater();
    return folder;
  }

  /** Where its files are read. */
  get dir(): string {
    return this.copy.dir;
  }

  /** Resolves when what was changed before the call is in the copy, or could not be read. A hint of a change calls this. */
  look(): Promise<void> {
    // One that is under way may have read before the change.
    this.waiting ??= this.looking.then(() => {
      this.waiting = undefined;
      this.looking = this.lookOnce().then(
        () => {
          this.hasFailed = false;
        },
        (cause) => this.noteFailed(cause),
      );
      return this.looking;
    });
    return this.waiting;
  }

  /** Does the work on the newest files while no other instance changes any here; undefined where others do all the time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<{ result: Result } | undefined> {
    const { leases, name } = this.options;
    return withLease(leases, `files:${name}`, turn, async () => {
      await this.look();
      return work();
    });
  }

  /** Puts these texts in the place of what has this name; undefined deletes. False where a folder has just changed it. */
  async change(name: string, texts: FolderTexts | undefined): Promise<boolean> {
    const before = this.known.get(name);
    if (before && !before.taken) return false;
    const taken = before?.taken ?? [];
    const isForgotten = texts === undefined && taken.length === 0;
    if (isForgotten) await this.options.documents.delete(this.prefix + name);
    const isWritten =
      isForgotten || (await this.write(name, { texts: texts ?? null, taken }, before?.version));
    await this.look();
    return isWritten;
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.waiting;
    await this.looking;
  }

  private lookLater(): void {
    this.timer = setTimeout(async () => {
      await this.look();
      if (this.timer) this.lookLater();
    }, pollMs).unref();
  }

  private noteFailed(cause: unknown): void {
    const { name, warn } = this.options;
    if (!this.hasFailed) warn(`What instances share of ${name} cannot be read or written now.`, cause);
    this.hasFailed = true;
  }

  private async lookOnce(): Promise<void> {
    await this.pull();
    const hasLooked = await this.source.takeChanges((change, isFirst) => this.takeUp(change, isFirst));
    // Another instance may have been faster.
    if (hasLooked) await this.pull();
  }

  /** Brings the copy in line with the documents. */
  private async pull(): Promise<void> {
    const { documents } = this.options;
    const versions = await documents.versionsUnder(this.prefix);
    for (const [document, version] of versions) {
      const name = document.slice(this.prefix.length);
      if (this.known.get(name)?.version === version) continue;
      const found = await documents.read(document);
      if (!found) continue;
      const stored = this.parse(document, found.text);
      // What cannot be read leaves the copy as it is.
      if (stored) await this.copy.put(name, stored.texts ?? undefined);
      this.known.set(name, { version: found.version, taken: stored?.taken });
    }
    for (const name of [...this.known.keys()].filter((known) => !versions.has(this.prefix + known))) {
      await this.copy.put(name, undefined);
      this.known.delete(name);
    }
  }

  /** Of several instances whose folders change alike one writes. */
  private async takeUp({ name, texts }: SourceChange, isFirst: boolean): Promise<void> {
    const document = this.prefix + name;
    const hash = texts ? hashOf(texts) : gone;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.options.documents.read(document);
      const stored = found && this.parse(document, found.text);
      if (found ? !stored : !texts) return;
      const { taken, texts: there } = stored ?? { taken: [], texts: null };
      // An instance that is new here may have been given an older folder.
      if (taken.at(-1) === hash || (isFirst && taken.includes(hash))) return;
      if (stored && taken.at(-1) !== (there ? hashOf(there) : gone)) {
        this.options.warn(`${document} stays as somebody has changed it, and not as the folder has it now.`);
        return;
      }
      const next = { texts: texts ?? null, taken: [...taken, hash].slice(-maxTaken) };
      if (await this.write(name, next, found?.version)) return;
    }
    throw new Error(`Others change ${document} all the time.`);
  }

  private async write(name: string, stored: Stored, version: number | undefined): Promise<boolean> {
    const text = JSON.stringify(stored);
    return (await this.options.documents.write(this.prefix + name, text, version)) !== undefined;
  }

  private parse(document: string, text: string): Stored | undefined {
    try {
      return Stored.parse(JSON.parse(text));
    } catch (cause) {
      const { warn } = this.options;
      warn(`${document} cannot be read. If a newer Meguri has written it, start that version.`, cause);
      return undefined;
    }
  }

  private get prefix(): string {
    return `${this.options.name}/`;
  }
}
