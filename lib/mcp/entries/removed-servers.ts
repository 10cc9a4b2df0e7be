import type { Entries } from "./entries";

/**
 * What is kept under the name of a server ends with its entry: a later server of that name is another server. It is
 * forgotten when the entry leaves the file in any way, and when an entry appears in a form that is not approved: the
 * earlier one may have been removed while this application was not running.
 */
export class RemovedServers {
  /** The names in the file; undefined before it was first read. */
  private names: ReadonlySet<string> | undefined;
  /** Servers of which something may still be kept, because deleting it failed. */
  private readonly failed = new Set<string>();
  private forgetting: Promise<unknown> = Promise.resolve();

  /** `forgetServer` withdraws the approval at once, and deletes the rest some time later. */
  constructor(
    private readonly entries: Pick<Entries, "servers" | "error" | "isApproved">,
    private readonly forgetServer: (name: string) => Promise<void>,
  ) {}

  /** To be called after each reading of the file; the servers of which nothing may be kept. */
  find(): string[] {
    const { servers, error } = this.entries;
    const before = this.names;
    // A file that cannot be read does not say which servers were removed.
    if (error) return [];
    this.names = new Set(servers.keys());
    if (!before) return [];
    const removed = [...before].filter((name) => !servers.has(name));
    const unapproved = [...servers].filter(
      ([name, config]) => !before.has(name) && !this.entries.isApproved(name, config),
    );
    return [...removed, ...unapproved.map(([name]) => name)];
  }

  forget(names: readonly string[]): void {
    if (names.length === 0) return;
    const before = this.forgetting.catch(() => {});
    const all = [before, ...names.map((name) => this.forgetOne(name))];
    // Where one fails, the others are still waited for.
    this.forgetting = Promise.allSettled(all).then(() => Promise.all(all));
    this.forgetting.catch(() => {}); // reported to the callers of `whenForgotten`, and logged
  }

  /** Resolves when nothing is kept of them; what could not be deleted is tried again once, and rejects if that fails. */
  async whenForgotten(): Promise<void> {
    await this.forgetting.catch(() => {});
    const again = [...this.failed];
    this.failed.clear();
    this.forget(again);
    await this.forgetting;
  }

  private async forgetOne(name: string): Promise<void> {
    try {
      await this.forgetServer(name);
      this.failed.delete(name);
    } catch (cause) {
      this.failed.add(name);
      throw cause;
    }
  }
}
