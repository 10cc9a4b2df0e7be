import { type AgentDeps, stampFolder } from "./agent-folder";

/**
 * Tells that files of agents may have changed, however that was done, for as long as somebody listens. The folder is looked at: what
 * tells of changes by itself is silent on disks of other machines, and in some containers.
 */
export class AgentFolderWatch {
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private stamp: string | undefined;

  constructor(
    private readonly deps: Pick<AgentDeps, "env">,
    private readonly pollMs = 2_000,
  ) {}

  /** The first look after it tells in any case. Gives how to end it; the listener must not throw. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.lookLater();
    return () => {
      if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
      clearTimeout(this.timer);
      this.stamp = undefined;
    };
  }

  private lookLater(): void {
    clearTimeout(this.timer);
    const timer = setTimeout(async () => {
      const stamp = await stampFolder(this.deps);
      if (this.timer !== timer || this.listeners.size === 0) return;
      const isChanged = stamp !== this.stamp;
      this.stamp = stamp;
      if (isChanged) for (const listener of [...this.listeners]) listener();
      this.lookLater();
    }, this.pollMs).unref();
    this.timer = timer;
  }
}
