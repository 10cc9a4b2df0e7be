import { randomBytes } from "node:crypto";
import type { Deps } from "@/lib/server/deps";
import { sign } from "@/lib/server/secrets";

const key = "sessions";
/** Browsers that are signed in at once; the one that signed in first gives way. */
const maxSessions = 100;
/** Browsers cap a cookie's life at 400 days. */
export const sessionDays = 400;

/** What is stored of a session: nothing that signs in. */
interface Stored {
  hash: string;
  createdAt: number;
}

/** The browsers that are signed in. Kept over restarts; a new launch token or APP_SECRET ends them all. */
export class Sessions {
  private constructor(
    private readonly deps: Pick<Deps, "store" | "secrets">,
    private stored: readonly Stored[],
  ) {}

  static async open(deps: Pick<Deps, "store" | "secrets">): Promise<Sessions> {
    return new Sessions(deps, (await deps.store.settings.get<Stored[]>("system", key)) ?? []);
  }

  has(value: string): boolean {
    const hash = this.hash(value);
    return this.stored.some((one) => one.hash === hash && isFresh(one));
  }

  /** A new session, in place of the former one of the same browser; resolves with the cookie's value. */
  async begin(former: string | undefined): Promise<string> {
    const value = randomBytes(32).toString("base64url");
    const begun = { hash: this.hash(value), createdAt: Date.now() };
    const isFormer = former === undefined ? undefined : this.hash(former);
    await this.change((stored) =>
      [...stored.filter((one) => one.hash !== isFormer && isFresh(one)), begun].slice(-maxSessions),
    );
    return value;
  }

  async end(value: string): Promise<void> {
    const hash = this.hash(value);
    await this.change((stored) => stored.filter((one) => one.hash !== hash));
  }

  /** In force once it is on the disk. */
  private async change(next: (stored: readonly Stored[]) => readonly Stored[]): Promise<void> {
    const { settings } = this.deps.store;
    this.stored = await settings.update("system", key, (stored: readonly Stored[] = []) => next(stored));
  }

  private hash(value: string): string {
    const { appSecret, launchToken } = this.deps.secrets;
    return sign(appSecret, "session", `${launchToken}:${value}`);
  }
}

const isFresh = ({ createdAt }: Stored) => Date.now() - createdAt < sessionDays * 24 * 3_600_000;
