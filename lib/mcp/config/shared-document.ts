import { ConfigFault, McpConfigError } from "./config-fault";
import { parseConfig } from "./parse-config";
import type { SharedChanges } from "./shared-documents";
import type { FoundText, TextDocument } from "./text-document";

/** A row that several instances share. A file is its seed: what it holds is put in at the very first start, once. */
export class SharedDocument implements TextDocument {
  readonly isShared = true;
  private seen: number | undefined;

  constructor(
    private readonly name: string,
    private readonly seed: TextDocument,
    private readonly changes: SharedChanges,
  ) {}

  get label(): string {
    return this.seen === undefined ? this.seed.label : `${this.changes.documents.label}: ${this.name}`;
  }

  get isSeed(): boolean {
    return this.seen === 1;
  }

  async read(): Promise<FoundText | undefined> {
    const found = (await this.changes.documents.read(this.name)) ?? (await this.plant());
    if (!found) return undefined;
    this.seen = found.version;
    return { text: found.text, version: String(found.version) };
  }

  async write(text: string, version: string | undefined): Promise<string | undefined> {
    const before = version === undefined ? undefined : Number(version);
    const written = await this.changes.documents.write(this.name, text, before);
    if (written === undefined) return undefined;
    this.seen = written;
    return String(written);
  }

  refusal(fault: { message: string; line: number | null }): McpConfigError {
    if (this.seen === undefined) return this.seed.refusal(fault);
    return new McpConfigError(
      "file_broken",
      `${this.label} cannot be read: ${fault.message} If a newer Meguri has written it, start that version; nothing was changed.`,
    );
  }

  watch(look: () => Promise<void>): () => void {
    return this.changes.follow(this.name, async (version) => {
      // A seed that could not be read, or was not there, may be now.
      if (version === undefined || version !== this.seen) await look();
    });
  }

  /** Of two first starts at once the one that comes second reads what the other has put in. */
  private async plant(): Promise<{ text: string; version: number } | undefined> {
    const found = this.seen === undefined ? await this.seed.read() : undefined;
    if (!found) return undefined;
    checkSeed(found.text);
    const { documents } = this.changes;
    const version = await documents.write(this.name, found.text, undefined);
    return version === undefined ? documents.read(this.name) : { text: found.text, version };
  }
}

/** A row is never broken: its writes are checked, and so is the first. */
function checkSeed(text: string): void {
  try {
    parseConfig(text);
  } catch (cause) {
    throw cause instanceof ConfigFault ? cause : new ConfigFault((cause as Error).message);
  }
}
