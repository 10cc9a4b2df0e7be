import { randomBytes } from "node:crypto";
import type { BaseDeps } from "@/lib/server/base-deps";
import { same, sign } from "@/lib/server/secrets";
import { cookieName, sessionCookie } from "./guard";

export const sessionsKey = "sessions";
/** Browsers that are signed in at once; the one that signed in first gives way. */
const maxSessions = 100;
/** Browsers cap a cookie's life at 400 days. */
const sessionDays = 400;

/** What is stored of a session: nothing that signs in. */
interface Stored {
  hash: string;
  createdAt: number;
}

/**
 * The browsers that are signed in. Kept over restarts, and the same for all instances; a new launch token or APP_SECRET ends
 * them all.
 */
export class Sessions {
  private readonly rereading = new SharedRead(() => this.deps.store.settings.reread("system", sessionsKey));

  constructor(private readonly deps: Pick<BaseDeps, "store" | "secrets">) {}

  async has(value: string): Promise<boolean> {
    const hash = this.hash(value);
    const { members, settings } = this.deps.store;
    const isIn = (stored: readonly Stored[] = []) => stored.some((one) => one.hash === hash && isFresh(one));
    if (isIn(await settings.get("system", sessionsKey))) return true;
    // Another instance may have begun it a moment ago.
    return members.mayBeMany && isIn(await this.rereading.read());
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
    await this.deps.store.settings.update("system", sessionsKey, (stored: readonly Stored[] = []) =>
      next(stored),
    );
  }

  private hash(value: string): string {
    const { appSecret, launchToken } = this.deps.secrets;
    return sign(appSecret, "session", `${launchToken}:${value}`);
  }
}

/** One at a time: who asks while it goes on shares the next, which begins after the question. */
class SharedRead {
  private last: Promise<unknown> = Promise.resolve();
  private next: Promise<readonly Stored[] | undefined> | undefined;

  constructor(private readonly work: () => Promise<readonly Stored[] | undefined>) {}

  read(): Promise<readonly Stored[] | undefined> {
    if (this.next) return this.next;
    const next = this.last.then(() => {
      this.next = undefined;
      return this.work();
    });
    this.next = next;
    this.last = next.catch(() => {});
    return next;
  }
}

const isFresh = ({ createdAt }: Stored) => Date.now() - createdAt < sessionDays * 24 * 3_600_000;

type SignInDeps = Pick<BaseDeps, "env" | "secrets" | "store"> & { sessions: Sessions };

/**
 * Takes the launch token of the printed URL, sets the session cookie and redirects to the clean address. Each time a
 * new session, in place of the one that this browser had. With accounts this browser may make the first admin then, and
 * nothing else; once there is one the token is refused.
 */
export async function signIn(deps: SignInDeps, request: Request): Promise<Response> {
  const headers = new Headers({
    Location: deps.env.AUTH === "accounts" ? "/sign-in" : "/",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const isOver = deps.env.AUTH === "accounts" && (await deps.store.accounts.hasFounder());
  if (!isOver && same(token, deps.secrets.launchToken)) {
    const value = await deps.sessions.begin(sessionCookie(request.headers, deps.env));
    headers.set("Set-Cookie", toCookie(deps, value, sessionDays * 24 * 3600));
  }
  // A wrong token ends on the page that says where the right URL is.
  return new Response(null, { status: 303, headers });
}

/** Ends the session of this browser, and of no other. */
export async function signOut(deps: SignInDeps, request: Request): Promise<Response> {
  const value = sessionCookie(request.headers, deps.env);
  if (value !== undefined) await deps.sessions.end(value);
  return Response.json({}, { headers: { "Cache-Control": "no-store", "Set-Cookie": toCookie(deps, "", 0) } });
}

/** The cookie of the printed address goes once it has done what it is for. */
export async function forgetOpener(deps: SignInDeps, request: Request): Promise<string | undefined> {
  const value = sessionCookie(request.headers, deps.env);
  if (value === undefined) return undefined;
  await deps.sessions.end(value);
  return toCookie(deps, "", 0);
}

function toCookie({ env }: Pick<BaseDeps, "env">, value: string, maxAge: number): string {
  const secure = env.PUBLIC_URL?.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(env)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
