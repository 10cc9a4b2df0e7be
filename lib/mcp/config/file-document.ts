import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ConfigFault, McpConfigError } from "./config-fault";
import { decodeText } from "./strict-json";
import type { FoundText, TextDocument } from "./text-document";
import { writeFileAtomically } from "./write-file";

const pollMs = 2_000;
const settleMs = 100;

/** A file, which people edit too. */
export class FileDocument implements TextDocument {
  readonly isShared = false;
  readonly isSeed = true;
  private seen = "";

  constructor(private readonly path: string) {}

  get label(): string {
    return this.path;
  }

  async read(): Promise<FoundText | undefined> {
    this.seen = await this.stamp();
    try {
      const { size } = await stat(this.path);
      if (size > 64 * 1024 * 1024) throw new ConfigFault("It is too large; at most 1 MB is read.");
      const text = decodeText(await readFile(this.path));
      return { text, version: versionOf(text) };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw cause instanceof ConfigFault ? cause : new ConfigFault((cause as Error).message);
    }
  }

  async write(text: string, version: string | undefined): Promise<string | undefined> {
    // Of an editor that saves at this very moment one of the two is lost: a file has no better condition.
    const found = await this.read().catch(() => null);
    if (found === null || found?.version !== version) return undefined;
    await writeFileAtomically(this.path, text).catch((cause: NodeJS.ErrnoException) => {
      throw new McpConfigError(
        "file_broken",
        `${this.path} cannot be written (${cause.code}). Check folder and permissions; nothing was changed.`,
      );
    });
    this.seen = await this.stamp();
    return versionOf(text);
  }

  refusal({ message, line }: { message: string; line: number | null }): McpConfigError {
    const file = basename(this.path);
    return new McpConfigError(
      "file_broken",
      line === null
        ? `${file} cannot be read: ${message} Fix the file first; nothing was changed.`
        : `${file} cannot be read (line ${line}): ${message} Fix the file first; nothing was changed.`,
    );
  }

  watch(look: () => Promise<void>): () => void {
    let settle: NodeJS.Timeout | undefined;
    const lookSoon = () => {
      clearTimeout(settle);
      settle = setTimeout(look, settleMs);
    };
    const stopWatching = this.follow(lookSoon);
    const poll = setInterval(async () => {
      if ((await this.stamp()) !== this.seen) lookSoon();
    }, pollMs).unref();
    return () => {
      stopWatching();
      clearInterval(poll);
      clearTimeout(settle);
    };
  }

  private follow(onChange: () => void): () => void {
    try {
      const watcher = watch(dirname(this.path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(this.path)) onChange();
      });
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      // Watching is not possible here; the poll finds changes too.
      return () => {};
    }
  }

  private stamp(): Promise<string> {
    return stat(this.path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => "",
    );
  }
}

/** Identifies a text. */
export const versionOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
