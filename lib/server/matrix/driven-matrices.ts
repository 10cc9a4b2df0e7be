import type { Lease } from "@/lib/store/leases";
import type { Store } from "@/lib/store/ports";

/** Beyond it one is taken again. */
const mostMs = 24 * 60 * 60_000;

/**
 * The matrices that this process goes on with: of several processes one begins the cells of a matrix, as it counts what they
 * use. Another one takes over once that is gone.
 */
export class DrivenMatrices {
  private readonly leases = new Map<string, Lease>();
  /** Those that cannot be read. */
  private readonly broken = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly store: () => Pick<Store, "leases" | "matrices">,
    private readonly everyMs: number,
  ) {}

  has(id: string): boolean {
    return this.leases.get(id)?.isHeld() ?? false;
  }

  /** Whether it is this process that goes on with it. `onTaken` is called when it was not until now. */
  async take(id: string, onTaken: () => void): Promise<boolean> {
    if (this.has(id)) return true;
    await this.release(id);
    const lease = await this.store().leases.take(`matrix ${id}`, mostMs);
    if (!lease) return false;
    this.leases.set(id, lease);
    onTaken();
    return true;
  }

  async release(id: string): Promise<void> {
    const lease = this.leases.get(id);
    this.leases.delete(id);
    await lease?.release();
  }

  /** It is not looked at any more. */
  noteBroken(id: string): void {
    this.broken.add(id);
    void this.release(id);
  }

  /** Tells again and again which go on: another process may be gone, or have been told of another budget. */
  survey(onFound: (ids: readonly string[]) => Promise<void>): void {
    if (this.isClosed) return;
    this.timer = setTimeout(async () => {
      const ids = await this.store()
        .matrices.idsInState(["open", "stopping"])
        .catch(() => []); // while the database is away nothing begins
      await onFound(ids.filter((id) => !this.broken.has(id)));
      this.survey(onFound);
    }, this.everyMs).unref();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await Promise.all([...this.leases.keys()].map((id) => this.release(id)));
  }
}
