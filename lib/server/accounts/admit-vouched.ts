import type { Role } from "@/lib/protocol/accounts";
import { newId } from "@/lib/server/ids";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import { hash } from "@/lib/server/secrets";
import type { PersonRow } from "@/lib/store/account-ports";
import type { Auth, AuthDeps, ForgetServers, StopWork } from "./auth";
import type { Vouched } from "./identity-provider";
import type { SessionEnds } from "./session-ends";
import { SignInFailure } from "./sign-in-failure";

type AdmitDeps = Pick<AuthDeps, "env" | "store"> & {
  auth: Auth;
  ends: Pick<SessionEnds, "endAll">;
  forgetServers: ForgetServers;
  stopWork: StopWork;
  addingPasskeys: KeyedMutex;
};

export interface Admission {
  /** Of the link that the sign-in was begun from. */
  invitation?: string | undefined;
  /** This browser has opened the printed address. */
  mayFound: boolean;
}

interface Newcomer extends Pick<Vouched, "issuer" | "subject"> {
  email: string;
  name: string;
}

interface Admitted {
  userId: string;
  /** They had no account before. */
  joined: boolean;
  /** They are the first admin. */
  founded: boolean;
}

/**
 * Whose account it is: by who they are at the provider; else by the address that it vouches for, whose account is theirs
 * from then on; else a new one.
 */
export async function admitVouched(
  deps: AdmitDeps,
  vouched: Vouched,
  admission: Admission,
): Promise<Admitted> {
  const { accounts } = deps.store;
  const known = await accounts.byIdentity(vouched);
  if (known) return { userId: letIn(known), joined: false, founded: false };
  const { claims, issuer, subject } = vouched;
  const { email } = claims;
  if (email === undefined || !claims.email_verified) throw new SignInFailure("unverified");
  const same = await accounts.byEmail(email);
  if (!same) {
    const name = claims.name ?? claims.preferred_username ?? email.slice(0, 80);
    return join(deps, { issuer, subject, email, name }, admission);
  }
  const userId = letIn(same);
  // Files cannot go in one step with the rows: gone before, and again after for what was running, so that nothing is left of a try that was cut.
  if (!(await accounts.isProven(userId))) await deps.forgetServers(userId);
  const isFirstProof = await deps.addingPasskeys.run(userId, () =>
    accounts.link(userId, { id: newId(), issuer, subject }),
  );
  if (isFirstProof === undefined) throw new SignInFailure("other_identity");
  if (isFirstProof) {
    deps.ends.endAll(userId);
    // One that was being made meanwhile.
    await accounts.endSessions(userId, { butFor: null });
    // What waits for a sign-in of the one who was here would go on with one of the owner's.
    await deps.stopWork(userId).finally(() => deps.forgetServers(userId));
  }
  return { userId, joined: false, founded: false };
}

function letIn({ id, disabled }: PersonRow): string {
  if (disabled) throw new SignInFailure("disabled");
  return id;
}

async function join(
  deps: AdmitDeps,
  newcomer: Newcomer,
  { invitation, mayFound }: Admission,
): Promise<Admitted> {
  const { accounts, invitations } = deps.store;
  const create = async (role: Role, founder: boolean) => {
    const { userId } = await deps.auth.for({ grant: { role, founder, isProven: true } }, () =>
      deps.auth.api.createVouched({ body: newcomer }),
    );
    return { userId, joined: true, founded: founder };
  };
  if (!(await accounts.hasFounder())) {
    if (!mayFound) throw new SignInFailure("no_admin");
    return create("admin", true);
  }
  const tokenHash = hash(invitation ?? "");
  const found = invitation === undefined ? undefined : await invitations.byToken(tokenHash);
  const isTheirs = found && (found.email === null || found.email === newcomer.email);
  // One that is over is none: the provider vouches, which is enough for a member.
  if (!isTheirs || !(await invitations.claim(tokenHash, Date.now(), newcomer.email))) {
    if (!isOfDomain(deps.env.OIDC_DOMAINS, newcomer.email)) throw new SignInFailure("domain");
    return create("member", false);
  }
  const joined = await create(found.role, false).catch(async (cause) => {
    await invitations.release(tokenHash);
    throw cause;
  });
  await invitations.settle(tokenHash);
  return joined;
}

const isOfDomain = (domains: readonly string[], email: string): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf("@") + 1));
