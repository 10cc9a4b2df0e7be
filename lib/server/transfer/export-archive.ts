import { Readable } from "node:stream";
import yauzl from "yauzl";
import type { ExportEntry, ExportFiles } from "./export-files";
import { archiveTooLarge, brokenArchive, protectedArchive } from "./unreadable";

const gigabyte = 1024 ** 3;
/** Entries of one archive; their names are kept in memory. */
const maxEntries = 200_000;
const maxName = 1_000;
/** Of all names and what stands beside them, which are in memory too. */
const maxDirectory = 64 * 1024 ** 2;
/** Bytes of one JSON, unpacked. */
const maxJson = 8 * gigabyte;
/** Of all JSON together, each time it is read; entries of an archive may share their bytes. */
const maxUnpacked = 32 * gigabyte;
/** What is packed better than this is no text: deflate reaches a thousand with nothing but repetition. */
const maxRatio = 200;
const freeBytes = 16 * 1024 ** 2;
/** Bytes of a file that may be attached at all. */
const maxFile = 64 * 1024 ** 2;

/** The entries of an archive, looked through once: nothing is unpacked to the disk, so no name of it is a path here. */
export class ExportArchive implements ExportFiles {
  private readonly byName = new Map<string, yauzl.Entry>();
  private readonly byEnd = new Map<string, yauzl.Entry>();
  private readonly byId = new Map<string, yauzl.Entry>();
  unsafeNames = 0;
  private directory = 0;
  private unpacked = 0;

  private constructor(private readonly zip: yauzl.ZipFile) {}

  static async open(path: string): Promise<ExportArchive> {
    const zip = await yauzl
      .openPromise(path, { autoClose: false, decodeStrings: false, validateEntrySizes: true })
      .catch(() => {
        throw brokenArchive();
      });
    const archive = new ExportArchive(zip);
    try {
      if (zip.entryCount > maxEntries) throw archiveTooLarge();
      for await (const entry of zip.eachEntry()) archive.add(entry);
    } catch (cause) {
      zip.close();
      throw cause instanceof Error && cause.name === "HttpError" ? cause : brokenArchive();
    }
    return archive;
  }

  close(): void {
    this.zip.close();
  }

  private add(entry: yauzl.Entry): void {
    this.directory += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (this.directory > maxDirectory) throw archiveTooLarge();
    const name = yauzl.getFileNameLowLevel(
      entry.generalPurposeBitFlag,
      entry.fileNameRaw,
      entry.extraFields,
      false,
    );
    if (name.endsWith("/")) return;
    // Upper half of the attributes is the mode where Unix made it; a link would lead to what its content says.
    const isLink = ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000;
    if (isLink || name.length > maxName || yauzl.validateFileName(name) !== null) {
      this.unsafeNames++;
      return;
    }
    if (!this.byName.has(name)) this.byName.set(name, entry);
    const end = lastPart(name);
    if (!this.byEnd.has(end)) this.byEnd.set(end, entry);
    const id = /^file[-_][A-Za-z0-9]+/.exec(end)?.[0];
    if (id !== undefined && !this.byId.has(id)) this.byId.set(id, entry);
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  named(name: string): ExportEntry | undefined {
    const entry = this.byName.get(name) ?? this.byEnd.get(lastPart(name));
    return entry && this.toEntry(entry);
  }

  withId(id: string): ExportEntry | undefined {
    const entry = this.byId.get(id);
    return entry && this.toEntry(entry);
  }

  /** The bytes of a JSON of the archive, unpacked as they are read. */
  async read(name: string): Promise<Readable> {
    const entry = this.byName.get(name);
    if (!entry) throw brokenArchive();
    if (entry.isEncrypted()) throw protectedArchive();
    const { uncompressedSize: size, compressedSize: packed } = entry;
    if (size > maxJson || (size > freeBytes && size > packed * maxRatio)) throw archiveTooLarge();
    this.unpacked += size;
    if (this.unpacked > maxUnpacked) throw archiveTooLarge();
    return this.open(entry);
  }

  private toEntry(entry: yauzl.Entry): ExportEntry {
    const { uncompressedSize: size } = entry;
    const open = async () => {
      // One that cannot be attached is not unpacked to find that out.
      if (entry.isEncrypted()) return Readable.from([]);
      return size > maxFile ? Readable.from([Buffer.alloc(0)]) : this.open(entry);
    };
    return { name: entry.fileNameRaw.toString("utf8"), size, open };
  }

  private open(entry: yauzl.Entry): Promise<Readable> {
    return this.zip.openReadStreamPromise(entry).catch(() => {
      throw brokenArchive();
    });
  }
}

const lastPart = (name: string): string => name.split("/").at(-1) ?? name;
