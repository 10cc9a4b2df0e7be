import type { z } from "zod";
import type { Account } from "@/lib/protocol/accounts";
import { AuditLog } from "@/lib/server/audit/audit-log";
import type {
  ChangePasswordBody,
  NewPasswordBody,
  SignInBody,
  SignUpBody,
} from "@/lib/server/contract/accounts";
import type { PasskeySignInBody } from "@/lib/server/contract/passkeys";
import { publicUrl } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { hash } from "@/lib/server/secrets";
import { type Admission, admitVouched } from "./admit-vouched";
import { Attempts } from "./attempts";
import {
  type Auth,
  type AuthDeps,
  type ForgetServers,
  type Grant,
  onlyAgent,
  onlyCookies,
  openAuth,
  type PersonOfReset,
  type StopWork,
} from "./auth";
import type { Vouched } from "./identity-provider";
import { OidcSignIn, type VouchingDeps } from "./oidc-sign-in";
import { Passkeys } from "./passkeys";
import { exists, invitationNeeded, otherAddress, refused, toHttpError } from "./refusals";
import type { SessionEnds } from "./session-ends";
import { SignInFailure } from "./sign-in-failure";

/** What is answered to who has signed in, with the cookies that keep them so. */
export interface SignedIn {
  account: Account;
  headers: Headers;
}

type AccountDeps = AuthDeps &
  VouchingDeps & { ends: SessionEnds; forgetServers: ForgetServers; stopWork: StopWork };

/** It is written now and then only: reading a page must not wait for the disk. */
const noteSeenMs = 5 * 60_000;

/** People who sign in, with `AUTH=accounts`. */
export class Accounts {
  readonly ends: SessionEnds;
  readonly audit: AuditLog;
  /** With an identity provider. */
  readonly oidc: OidcSignIn | undefined;
  private readonly attempts = new Attempts();
  readonly passkeys: Passkeys;
  private readonly arrivals = new KeyedMutex();
  /** By person: what ends their passkeys waits for one that is being added, and the next one finds no session. */
  private readonly addingPasskeys = new KeyedMutex();
  private readonly auth: Auth;

  private constructor(private readonly deps: AccountDeps) {
    this.ends = deps.ends;
    const { addingPasskeys, attempts } = this;
    this.auth = openAuth({ ...deps, addingPasskeys }, this.ends);
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
    const found = await this.auth.api.getSession({ headers: onlyCookies(headers) });
    if (!found || found.user.disabled) return undefined;
    const person = { ...toAccount(found.user), sessionId: found.session.id, token: null };
    this.noteSeen(person);
    return person;
  }

  /** `mayFound`: this browser has opened the printed address. */
  async signUp(
    request: Request,
    { invitation, ...body }: z.output<typeof SignUpBody>,
    mayFound: boolean,
  ): Promise<SignedIn> {
    if (invitation !== undefined) return this.join(request, body, invitation);
    const { accounts } = this.deps.store;
    if (!mayFound || (await accounts.hasFounder())) throw invitationNeeded();
    try {
      return await this.create(request, body, { role: "admin", founder: true, isProven: true });
    } catch (cause) {
      // Somebody was faster.
      if (await accounts.hasFounder()) throw invitationNeeded();
      throw cause;
    }
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
      headers: onlyCookies(request.headers),
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
        headers: onlyCookies(request.headers),
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

  private async join(
    request: Request,
    body: Omit<z.output<typeof SignUpBody>, "invitation">,
    token: string,
  ): Promise<SignedIn> {
    const { accounts, invitations } = this.deps.store;
    const tokenHash = hash(token);
    // By what is answered somebody could find out which addresses have an account.
    this.attempts.count(token);
    const found = await invitations.byToken(tokenHash);
    if (!found)
      throw refused("invitation_unknown", "There is no such invitation; ask an admin for a new one.");
    if (found.email !== null && found.email !== body.email) throw otherAddress();
    if (found.usedAt === null && (await accounts.byEmail(body.email))) throw exists();
    if (!(await invitations.claim(tokenHash, Date.now(), body.email)))
      throw found.usedAt === null && found.expiresAt <= Date.now()
        ? refused("invitation_expired", "This invitation has expired; ask an admin for a new one.")
        : refused(
            "invitation_used",
            "This invitation has been used; sign in, or ask an admin for a new one.",
          );
    const grant = { role: found.role, founder: false, isProven: found.email !== null };
    const signedIn = await this.create(request, body, grant).catch(async (cause) => {
      await invitations.release(tokenHash);
      // With another invitation, at the same time.
      throw (await accounts.byEmail(body.email)) ? exists() : cause;
    });
    await invitations.settle(tokenHash);
    return signedIn;
  }

  private async create(
    request: Request,
    body: { name: string; email: string; password: string },
    grant: Grant,
  ): Promise<SignedIn> {
    const { headers, response } = await this.hashing(() =>
      this.auth.for({ grant }, () =>
        this.auth.api.signUpEmail({
          body,
          headers: onlyAgent(request.headers),
          returnHeaders: true,
        }),
      ),
    );
    return { account: toAccount(response.user), headers };
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
    return this.attempts.inTurn(work).catch((cause) => {
      throw toHttpError(cause);
    });
  }

  private noteSeen({ id, sessionId }: Person): void {
    const now = Date.now();
    if (sessionId === null || !this.ends.isToBeNoted(sessionId, id, now, noteSeenMs)) return;
    this.deps.store.accounts
      .noteSeen(id, sessionId, now)
      .catch((err) => this.deps.log.warn({ err }, "when a session was used was not written"));
  }
}

const toAccount = ({
  id,
  name,
  email,
  role,
}: {
  id: string;
  name: string;
  email: string;
  role?: unknown;
}): Account => ({
  ...{ id, name, email },
  role: role === "admin" ? "admin" : "member",
});
