import type { Entries } from "./entries";

/**
 * What is kept under the name of a server ends with its entry: a server that comes later under that name is another one.
 * So it is where an entry leaves the file, by whatever hand, and where one comes back in a form that nobody approved
 * (it may have been taken out while nobody looked).
 */
export class Leftovers {
  /** The names in the file; undefined before it was first read. */
  private names: ReadonlySet<string> | undefined;
  private clearing: Promise<unknown> = Promise.resolve();

  /** `forget` takes the approval away at once, and the rest by and by. */
  constructor(
    private readonly entries: Pick<Entries, "servers" | "error" | "isApproved">,
    private readonly forget: (name: string) => Promise<void>,
  ) {}

  /** Call after each reading of the file: the names of which nothing may stay. */
  look(): string[] {
    const { servers, error } = this.entries;
    const before = this.names;
    // A file that cannot be read says nothing of who has left it.
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
    this.clearing = Promise.all([before, ...names.map((name) => this.forget(name))]);
    this.clearing.catch(() => {}); // told to those who wait for it, and in the log
  }

  /** Resolves when nothing is left. */
  gone(): Promise<unknown> {
    return this.clearing;
  }
}
