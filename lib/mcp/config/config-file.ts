import { ConfigFault, McpConfigError } from "./config-fault";
import type { Edit } from "./edit-servers";
import { versionOf } from "./file-document";
import { type ParsedConfig, parseConfig } from "./parse-config";
import type { FoundText, TextDocument } from "./text-document";

/** Each time somebody else was first. */
const maxAttempts = 20;
/** The version of a document that could not be read: nothing is written in its place. */
const unread = "";

export interface FileError {
  message: string;
  line: number | null;
}

/** The `mcpServers` document: its content in force, what is wrong with it, and changes made here or by somebody else. */
export class ConfigFile {
  current: ParsedConfig = { document: { mcpServers: {} }, servers: new Map() };
  error: FileError | null = null;
  private text: string | undefined;
  /** Of the document as it was last read; undefined where there was none. */
  private found: string | undefined;
  private stopWatching = () => {};
  private queue: Promise<void> = Promise.resolve();

  /**
   * `changed` is called when a reading differs from the one before, including from a valid to a broken text; `isOurs`
   * where no other instance sees to what follows from the change.
   */
  constructor(
    private readonly document: TextDocument,
    private readonly changed: (isOurs: boolean) => void,
  ) {}

  get label(): string {
    return this.document.label;
  }

  get isSeed(): boolean {
    return this.document.isSeed;
  }

  /** Reads the document and follows it from then on. A broken one does not throw; it sets `error`. */
  async start(): Promise<void> {
    await this.inTurn(() => this.load());
    this.stopWatching = this.document.watch(() => this.inTurn(() => this.load()));
  }

  stop(): void {
    this.stopWatching();
  }

  /** Changes the servers as they are kept now; throws `McpConfigError` "file_broken" when they cannot be read. */
  edit(change: Edit): Promise<void> {
    return this.rewrite(async ({ document }) => {
      const servers = { ...(structuredClone(document.mcpServers) as Record<string, unknown>) };
      await change(servers);
      return { ...document, mcpServers: servers };
    });
  }

  /** Identifies the text that is in force. */
  get version(): string {
    return versionOf(this.text ?? "");
  }

  /** Calls `look` with the document as it is kept now; throws as `edit` does. */
  read<Value>(look: (current: ParsedConfig) => Value): Promise<Value> {
    return this.inTurn(async () => {
      await this.loadWhole();
      return look(this.current);
    });
  }

  /** Replaces the document as it is kept now; throws as `edit` does. `make` is called again where somebody else was first. */
  rewrite(
    make: (current: ParsedConfig) => Record<string, unknown> | Promise<Record<string, unknown>>,
  ): Promise<void> {
    return this.inTurn(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.loadWhole();
        const text = `${JSON.stringify(await make(this.current), null, 2)}\n`;
        this.assertWhole(text);
        const version = await this.document.write(text, this.found);
        // Not read again: what somebody else has written meanwhile is no change of ours.
        if (version !== undefined) return this.settle({ text, version }, true);
        if (attempt === maxAttempts)
          throw new McpConfigError(
            "file_changed",
            `${this.document.label} is being changed by others all the time. Try again; nothing was changed.`,
          );
      }
    });
  }

  /** A missing document is created; a broken one is left alone. */
  private async loadWhole(): Promise<void> {
    await this.load();
    if (this.error && this.found !== undefined) throw this.document.refusal(this.error);
  }

  private assertWhole(text: string): void {
    try {
      parseConfig(text);
    } catch (fault) {
      throw new McpConfigError("invalid", `${(fault as Error).message} Nothing was changed.`);
    }
  }

  /** Throws where nobody can say what is there, as while a database is away; what was in force stays. */
  private async load(): Promise<void> {
    this.found = unread;
    const found = await this.document.read().catch((cause) => {
      if (cause instanceof ConfigFault) return cause;
      throw cause;
    });
    this.settle(found, !this.document.isShared);
  }

  private settle(found: FoundText | ConfigFault | undefined, isOurs: boolean): void {
    const textBefore = this.text;
    const errorBefore = this.error?.message;
    try {
      if (found instanceof ConfigFault) throw found;
      this.found = found?.version;
      this.take(found?.text);
      this.error = null;
    } catch (cause) {
      const line = cause instanceof ConfigFault ? cause.line : null;
      this.error = { message: cause instanceof Error ? cause.message : String(cause), line };
    }
    if (this.text !== textBefore || this.error?.message !== errorBefore) this.changed(isOurs);
  }

  private take(text: string | undefined): void {
    if (text === undefined && this.text !== undefined)
      throw new ConfigFault(
        `${this.document.label} has gone. Put it back, or change a server in the settings.`,
      );
    if (text === undefined || text === this.text) return;
    this.current = parseConfig(text);
    this.text = text;
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
