import type { z } from "zod";
import { AuditLog } from "@/lib/server/audit/audit-log";
import type { ChangePasswordBody, NewPasswordBody, SignInBody } from "@/lib/server/contract/accounts";
import type { PasskeySignInBody } from "@/lib/server/contract/passkeys";
import { publicUrl } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { type Admission, admitVouched } from "./admit-vouched";
import { Attempts } from "./attempts";
import {
  type Auth,
  type AuthDeps,
  type ForgetServers,
  onlyAgent,
  onlyCookies,
  openAuth,
  type PersonOfReset,
  type StopWork,
} from "./auth";
import type { Vouched } from "./identity-provider";
import { OidcSignIn, type VouchingDeps } from "./oidc-sign-in";
import { Passkeys } from "./passkeys";
import { told } from "./refusals";
import type { Roles } from "./roles";
import type { SessionEnds } from "./session-ends";
import { SignInFailure } from "./sign-in-failure";
import { type SignedIn, SignUps, toAccount } from "./sign-ups";

type AccountDeps = AuthDeps &
  VouchingDeps & { ends: SessionEnds; forgetServers: ForgetServers; stopWork: StopWork };

/** It is written now and then only: reading a page must not wait for the disk. */
const noteSeenMs = 5 * 60_000;

/** People who sign in, with `AUTH=accounts`. */
export class Accounts {
  readonly ends: SessionEnds;
  readonly roles: Pick<Roles, "set" | "forget">;
  readonly audit: AuditLog;
  /** With an identity provider. */
  readonly oidc: OidcSignIn | undefined;
  private readonly attempts: Attempts;
  readonly passkeys: Passkeys;
  readonly signUps: SignUps;
  private readonly arrivals = new KeyedMutex();
  /** By person: what ends their passkeys waits for one that is being added, and the next one finds no session. */
  private readonly addingPasskeys = new KeyedMutex();
  private readonly auth: Auth;

  private constructor(private readonly deps: AccountDeps) {
    this.ends = deps.ends;
    this.roles = deps.roles;
    const { addingPasskeys } = this;
    const attempts = new Attempts(deps.store.bus);
    this.attempts = attempts;
    this.auth = openAuth({ ...deps, addingPasskeys }, this.ends);
    this.signUps = new SignUps(deps, this.auth, attempts);
    this.passkeys = new Passkeys({ ...deps, auth: this.auth, addingPasskeys, attempts });
    this.audit = new AuditLog(deps, deps.env.TRUSTED_PROXIES);
    this.oidc = OidcSignIn.open(deps, (...all) => this.enter(...all));
  }

  static async open(deps: AccountDeps): Promise<Accounts> {
    await deps.store.accounts.deleteUnfinished();
    await deps.store.invitations.releaseUnfinished();
    return new Accounts(deps);
  }

  /** Whose session the cookie is. */
  async personOf(headers: Headers): Promise<Person | undefined> {
    // The library would tell of a request without cookies as of any other.
    if (!headers.has("cookie")) return undefined;
    const found = await this.auth.api.getSession({ headers: onlyCookies(headers, this.deps.env) });
    if (!found || found.user.disabled) return undefined;
    const person = { ...toAccount(found.user), sessionId: found.session.id, token: null };
    this.noteSeen(person);
    return person;
  }

  async signIn(request: Request, { email, password }: z.output<typeof SignInBody>): Promise<SignedIn> {
    this.attempts.count(email);
    const since = performance.now();
    const former = await this.personOf(request.headers);
    const { headers, response } = await this.hashing(() =>
      this.auth.api.signInEmail({
        body: { email, password },
        headers: onlyAgent(request.headers),
        returnHeaders: true,
      }),
    );
    await this.assertStays(response.user.id, since, headers);
    this.attempts.forget(email);
    if (former) await this.endSession(former.id, former.sessionId ?? "");
    return { account: toAccount(response.user), headers };
  }

  /** Without an address or a password: the device knows whose account it is. */
  async signInByPasskey(
    request: Request,
    body: z.output<typeof PasskeySignInBody>,
  ): Promise<SignedIn & { passkey: string }> {
    const former = await this.personOf(request.headers);
    const { user, headers, passkey } = await this.passkeys.signIn(request, body);
    if (former) await this.endSession(former.id, former.sessionId ?? "");
    return { account: toAccount(user), headers, passkey };
  }

  /** The cookies that take the session back. */
  async signOut(request: Request, person: Person): Promise<Headers> {
    const { headers } = await this.auth.api.signOut({
      headers: onlyCookies(request.headers, this.deps.env),
      returnHeaders: true,
    });
    this.ends.end([person.sessionId ?? ""]);
    return headers;
  }

  /** All other sessions end. */
  async changePassword(
    request: Request,
    person: Person,
    { current, password }: z.output<typeof ChangePasswordBody>,
  ): Promise<Headers> {
    this.attempts.count(person.email);
    const since = performance.now();
    const { headers } = await this.hashing(() =>
      this.auth.api.changePassword({
        body: { currentPassword: current, newPassword: password, revokeOtherSessions: true },
        headers: onlyCookies(request.headers, this.deps.env),
        returnHeaders: true,
      }),
    );
    await this.assertStays(person.id, since, headers);
    this.attempts.forget(person.email);
    this.ends.endAll(person.id);
    return headers;
  }

  /** The address of a page where a new password can be set, once. One that was made before for this person ends. */
  async resetUrl({ id, email }: { id: string; email: string }): Promise<string> {
    await this.deps.store.accounts.endResets(id);
    let token = "";
    await this.auth.for({ onResetToken: (made) => (token = made) }, () =>
      this.auth.api.requestPasswordReset({ body: { email } }),
    );
    return `${publicUrl(this.deps.env)}/sign-in?reset=${encodeURIComponent(token)}`;
  }

  /** Whose password it was; all their sessions end. */
  async resetPassword({ token, password }: z.output<typeof NewPasswordBody>): Promise<PersonOfReset | null> {
    let who: PersonOfReset | null = null;
    const reset = () => this.auth.api.resetPassword({ body: { token, newPassword: password } });
    await this.hashing(() => this.auth.for({ onReset: (person) => (who = person) }, reset));
    return who;
  }

  /** False when this person has no such session. */
  async endSession(userId: string, id: string): Promise<boolean> {
    const ended = await this.deps.store.accounts.endSessions(userId, { id });
    this.ends.end(ended);
    return ended.length > 0;
  }

  async endSessions(userId: string, butFor: string | null): Promise<void> {
    this.ends.end(await this.deps.store.accounts.endSessions(userId, { butFor }));
    if (butFor === null) this.ends.endAll(userId);
  }

  /** A password that was right counts no more where all sessions were ended while it was looked at. */
  private async assertStays(userId: string, since: number, headers: Headers): Promise<void> {
    if (!this.ends.hasEndedAllSince(userId, since)) return;
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const made = await this.auth.api.getSession({ headers: new Headers({ cookie }) });
    if (made) await this.endSession(userId, made.session.id);
    throw new HttpError(401, "unauthorized", "Sign in first; in a browser, reload the page.");
  }

  /** One by one for each who comes: of two tabs one makes the account. */
  private async enter(request: Request, vouched: Vouched, admission: Admission) {
    const { auth, ends, audit, addingPasskeys } = this;
    const former = await this.personOf(request.headers);
    const { userId, joined, founded } = await this.arrivals
      .run(`${vouched.issuer} ${vouched.subject}`, () =>
        admitVouched({ ...this.deps, auth, ends, addingPasskeys }, vouched, admission),
      )
      .catch(async (cause) => {
        const who = vouched.claims.email ?? vouched.subject;
        if (cause instanceof SignInFailure) await audit.noteRefused(`${who}, ${cause.code}`, request.headers);
        throw cause;
      });
    const { headers, response } = await auth.api.beginSession({
      body: { userId },
      headers: onlyAgent(request.headers),
      returnHeaders: true,
    });
    if (former) await this.endSession(former.id, former.sessionId ?? "");
    const account = toAccount(response.user);
    const did = joined
      ? { action: "signIn.joined" as const, on: account.role }
      : { action: "signIn.began" as const };
    await audit.note(account, did, request.headers);
    return { userId, headers, founded };
  }

  private hashing<Result>(work: () => Promise<Result>): Promise<Result> {
    return told(this.attempts.inTurn(work));
  }

  private noteSeen({ id, sessionId }: Person): void {
    const now = Date.now();
    if (sessionId === null || !this.ends.isToBeNoted(sessionId, id, now, noteSeenMs)) return;
    this.deps.store.accounts
      .noteSeen(id, sessionId, now)
      .catch((err) => this.deps.log.warn({ err }, "when a session was used was not written"));
  }
}
