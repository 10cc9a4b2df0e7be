import { createHash } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ConfigFault, McpConfigError } from "./config-fault";
import type { Edit } from "./edit-servers";
import { type ParsedConfig, parseConfig } from "./parse-config";
import { decodeText } from "./strict-json";
import { writeFileAtomically } from "./write-file";

const pollMs = 2_000;
const settleMs = 100;

export interface FileError {
  message: string;
  line: number | null;
}

/** The `mcpServers` file: its content in force, what is wrong with it, and changes made here or in an editor. */
export class ConfigFile {
  current: ParsedConfig = { document: { mcpServers: {} }, servers: new Map() };
  error: FileError | null = null;
  private text: string | undefined;
  private seen = "";
  private watcher: FSWatcher | undefined;
  private poll: NodeJS.Timeout | undefined;
  private settle: NodeJS.Timeout | undefined;
  private queue: Promise<void> = Promise.resolve();

  /** `changed` is called when a reading differs from the one before, including from a valid to a broken file. */
  constructor(
    private readonly path: string,
    private readonly changed: () => void,
  ) {}

  /** Reads the file and watches it from then on. A broken file does not throw; it sets `error`. */
  async start(): Promise<void> {
    await this.inTurn(() => this.load());
    try {
      this.watcher = watch(dirname(this.path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(this.path)) this.reloadSoon();
      });
      this.watcher.on("error", () => this.watcher?.close());
    } catch {
      // Watching is not possible here; the poll below finds changes too.
    }
    this.poll = setInterval(async () => {
      if ((await this.stamp()) !== this.seen) this.reloadSoon();
    }, pollMs).unref();
  }

  stop(): void {
    this.watcher?.close();
    clearInterval(this.poll);
    clearTimeout(this.settle);
  }

  /** Changes the servers of the file as it is on disk now; throws `McpConfigError` "file_broken" when it cannot be read. */
  edit(change: Edit): Promise<void> {
    return this.rewrite(async ({ document }) => {
      const servers = { ...(structuredClone(document.mcpServers) as Record<string, unknown>) };
      await change(servers);
      return { ...document, mcpServers: servers };
    });
  }

  /** Identifies the text that is in force. */
  get version(): string {
    return createHash("sha256")
      .update(this.text ?? "")
      .digest("base64url");
  }

  /** Calls `look` with the file as it is on disk now; throws as `edit` does. */
  read<Value>(look: (current: ParsedConfig) => Value): Promise<Value> {
    return this.inTurn(async () => {
      await this.loadWhole();
      return look(this.current);
    });
  }

  /** Replaces the document of the file as it is on disk now; throws as `edit` does. */
  rewrite(
    make: (current: ParsedConfig) => Record<string, unknown> | Promise<Record<string, unknown>>,
  ): Promise<void> {
    return this.inTurn(async () => {
      await this.loadWhole();
      const text = `${JSON.stringify(await make(this.current), null, 2)}\n`;
      this.assertWhole(text);
      await writeFileAtomically(this.path, text).catch((cause: NodeJS.ErrnoException) => {
        throw new McpConfigError(
          "file_broken",
          `${this.path} cannot be written (${cause.code}). Check folder and permissions; nothing was changed.`,
        );
      });
      await this.load();
    });
  }

  /** A missing file is created; a broken one is left alone. */
  private async loadWhole(): Promise<void> {
    await this.load();
    const gone = this.seen === "";
    if (!this.error || gone) return;
    const { line, message } = this.error;
    const file = basename(this.path);
    throw new McpConfigError(
      "file_broken",
      line === null
        ? `${file} cannot be read: ${message} Fix the file first; nothing was changed.`
        : `${file} cannot be read (line ${line}): ${message} Fix the file first; nothing was changed.`,
    );
  }

  private assertWhole(text: string): void {
    try {
      parseConfig(text);
    } catch (fault) {
      throw new McpConfigError("invalid", `${(fault as Error).message} Nothing was changed.`);
    }
  }

  private reloadSoon(): void {
    clearTimeout(this.settle);
    this.settle = setTimeout(() => this.inTurn(() => this.load()), settleMs);
  }

  private async load(): Promise<void> {
    const textBefore = this.text;
    const errorBefore = this.error?.message;
    this.seen = await this.stamp();
    try {
      const text = await this.readText();
      if (text !== undefined && text !== this.text) {
        this.current = parseConfig(text);
        this.text = text;
      }
      this.error = null;
    } catch (cause) {
      const line = cause instanceof ConfigFault ? cause.line : null;
      this.error = { message: cause instanceof Error ? cause.message : String(cause), line };
    }
    if (this.text !== textBefore || this.error?.message !== errorBefore) this.changed();
  }

  /** Undefined for a file that has never existed; a file that was deleted is a fault. */
  private async readText(): Promise<string | undefined> {
    try {
      const { size } = await stat(this.path);
      if (size > 64 * 1024 * 1024) throw new ConfigFault("It is too large; at most 1 MB is read.");
      return decodeText(await readFile(this.path));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      if (this.text === undefined) return undefined;
      throw new ConfigFault(`${this.path} has gone. Put it back, or change a server in the settings.`);
    }
  }

  private stamp(): Promise<string> {
    return stat(this.path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => "",
    );
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
