import { emptiedKey } from "@/lib/store/kept-settings";
import type { Store } from "@/lib/store/ports";

interface EmptiedDeps {
  store: Pick<Store, "members" | "settings">;
  /** Conversations that are in memory alone. */
  temporary: { endAll(): Promise<void> };
  pool: { clearLogs(): void };
}

/** Takes up that another process has deleted everything: some of what people have written is in the memory of this one alone. */
export class Emptied {
  private constructor(private known: string | undefined) {}

  static async open(deps: Pick<EmptiedDeps, "store">): Promise<Emptied> {
    return new Emptied(await read(deps));
  }

  /** This process has done it, and has nothing more of it. */
  async note(deps: Pick<EmptiedDeps, "store">): Promise<void> {
    this.known = await read(deps);
  }

  async follow(deps: EmptiedDeps): Promise<void> {
    const now = await read(deps);
    if (now === this.known) return;
    await deps.temporary.endAll();
    deps.pool.clearLogs();
    this.known = now;
  }
}

const read = async ({ store: { members, settings } }: Pick<EmptiedDeps, "store">) =>
  members.mayBeMany ? settings.reread<string>("system", emptiedKey) : undefined;
