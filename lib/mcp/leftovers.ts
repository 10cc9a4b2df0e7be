import type { Entries } from "./entries";

/**
 * What is kept under the name of a server ends with its entry: a server that comes later under that name is another one.
 * It is forgotten when its entry leaves the file, however that happens, and when an entry comes back in a form that is not
 * approved: it may have been taken out while this application was not running.
 */
export class Leftovers {
  /** The names in the file; undefined before it was first read. */
  private names: ReadonlySet<string> | undefined;
  /** Names of which something may still be kept, as it could not be deleted. */
  private readonly failed = new Set<string>();
  private clearing: Promise<unknown> = Promise.resolve();

  /** `forget` takes the approval away at once, and the rest some time later. */
  constructor(
    private readonly entries: Pick<Entries, "servers" | "error" | "isApproved">,
    private readonly forget: (name: string) => Promise<void>,
  ) {}

  /** Call after each reading of the file: the names of which nothing may be kept. */
  look(): string[] {
    const { servers, error } = this.entries;
    const before = this.names;
    // A file that cannot be read does not say which servers were removed.
    if (error) return [];
    this.names = new Set(servers.keys());
    if (!before) return [];
    const left = [...before].filter((name) => !servers.has(name));
    const strangers = [...servers].filter(
      ([name, config]) => !before.has(name) && !this.entries.isApproved(name, config),
    );
    return [...left, ...strangers.map(([name]) => name)];
  }

  clear(names: readonly string[]): void {
    if (names.length === 0) return;
    const before = this.clearing.catch(() => {});
    this.clearing = Promise.all([before, ...names.map((name) => this.drop(name))]);
    this.clearing.catch(() => {}); // told to those who wait for it, and in the log
  }

  /** Resolves when nothing is left; what could not be forgotten is tried once more, and rejects if it fails again. */
  async gone(): Promise<void> {
    await this.clearing.catch(() => {});
    const again = [...this.failed];
    this.failed.clear();
    this.clear(again);
    await this.clearing;
  }

  private async drop(name: string): Promise<void> {
    try {
      await this.forget(name);
      this.failed.delete(name);
    } catch (cause) {
      this.failed.add(name);
      throw cause;
    }
  }
}
