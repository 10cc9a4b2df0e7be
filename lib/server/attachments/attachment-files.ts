import { overloaded } from "@/lib/server/http/errors";
import { newId as newUuid } from "@/lib/server/ids";
import type { Blobs } from "@/lib/store/blob-ports";
import { BlobFolder } from "./blob-folder";
import type { ByteFolder, FileSource } from "./byte-folder";
import { DiskFolder } from "./disk-folder";
import { FileCopies } from "./file-copies";
import type { PicturePlan } from "./kept-parts";
import { plannedPieces, planPicture } from "./picture-plan";
import { Slots } from "./slots";

/** Bytes of files that calls in flight hold in memory, of all runs of the process. */
const maxLent = 64 * 1024 * 1024;
/** Pictures of which is remembered how they are told to strangers, and parts of one that are worth it. */
const [maxPlans, maxPlanParts] = [1_000, 100];

/** The bytes of attachments, each under its id; what the model reads of a document is beside it. */
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
  /** Of links, by whoever has one; the owner's exports have their own. */
  readonly sharedFiles = new Slots(
    { atOnce: 8, waiting: 0 },
    overloaded("Too many shared conversations are being saved at once; try again in a minute."),
  );
  private lent = 0;
  private readonly plans = new Map<string, PicturePlan | null>();

  constructor(
    private readonly folder: ByteFolder,
    /** How much all files of this person may take together. */
    readonly maxBytesOf: (userId: string) => Promise<number>,
    /** Those that servers were given by their path. */
    readonly copies: Pick<FileCopies, "put" | "delete" | "sweep">,
    /** Of a new file. */
    readonly newId: () => string = newUuid,
  ) {}

  /** In `dir`, and what is remembered of copies beside it. */
  static inFolder(dir: string, maxBytesOf: AttachmentFiles["maxBytesOf"]): AttachmentFiles {
    return new AttachmentFiles(new DiskFolder(dir), maxBytesOf, new FileCopies(`${dir}-copies.json`));
  }

  /** In the database; on this machine, beside `dir`, is what is remembered of copies. */
  static inDatabase(blobs: Blobs, dir: string, maxBytesOf: AttachmentFiles["maxBytesOf"]): AttachmentFiles {
    return new AttachmentFiles(new BlobFolder(blobs), maxBytesOf, new FileCopies(`${dir}-copies.json`));
  }

  /** Writes what comes as it comes; `keep` makes an attachment of it. `size` in bytes. */
  async receive(
    id: string,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<{ source: FileSource; size: number }> {
    const part = nameOf(`${id}.part`);
    const size = await this.folder.write(part, pieces);
    return { size, source: this.folder.source(part, size) };
  }

  /** Whole or not at all: a crash leaves nothing that looks like the file. */
  async keep(id: string, text: string | null): Promise<void> {
    if (text !== null) await this.folder.put(textOf(id), Buffer.from(text));
    await this.folder.rename(nameOf(`${id}.part`), nameOf(id));
  }

  /** `receive` and `keep` for what is in memory. */
  write(id: string, bytes: Uint8Array): Promise<void> {
    return this.folder.put(nameOf(id), bytes);
  }

  has(id: string): Promise<boolean> {
    return this.folder.has(nameOf(id));
  }

  read(id: string): Promise<Buffer> {
    return this.folder.read(nameOf(id));
  }

  /** The bytes in pieces, as fast as they are taken; the file is opened with the first and closed with the last. */
  async *pieces(id: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield* this.folder.pieces(nameOf(id));
  }

  /** The picture without its metadata, as `pieces`; null where nobody knows what it holds (`planPicture`). */
  async barePicture(
    id: string,
  ): Promise<{ size: number; pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void> } | null> {
    const known = this.plans.get(id);
    const plan = known === undefined ? await planPicture(this.pieces(id)) : known;
    // The bytes of an id never change.
    if (known === undefined && (plan?.parts.length ?? 0) <= maxPlanParts) {
      if (this.plans.size >= maxPlans) this.plans.clear();
      this.plans.set(id, plan);
    }
    return plan && { size: plan.size, pieces: plannedPieces(plan, this.pieces(id)) };
  }

  async readText(id: string): Promise<string> {
    return (await this.folder.read(textOf(id))).toString("utf8");
  }

  async copy(from: string, to: string, withText: boolean): Promise<void> {
    if (withText) await this.folder.copy(textOf(from), textOf(to));
    await this.folder.copy(nameOf(from), nameOf(to));
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
  copyOut(id: string, path: string): Promise<void> {
    return this.folder.copyOut(nameOf(id), path);
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.copies.delete(ids);
    for (const id of ids) await this.folder.remove([nameOf(id), textOf(id), nameOf(`${id}.part`)]);
  }

  /** What the files take and, where that can be known, what there is room for, in bytes. */
  usage(): Promise<{ bytes: number; free?: number }> {
    return this.folder.usage();
  }

  /** Deletes what no row speaks of: the rest of an upload or a deletion that a crash cut short. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    await this.copies.sweep(known);
    await this.folder.sweep(known);
  }
}

/** Ids are ours; whatever else comes in here must not leave the folder. */
function nameOf(name: string): string {
  if (!/^[\w-]+(\.txt)?(\.part)?$/.test(name)) throw new Error(`Not the name of an attachment: ${name}`);
  return name;
}

const textOf = (id: string) => nameOf(`${id}.txt`);
