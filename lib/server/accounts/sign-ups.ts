import type { z } from "zod";
import type { Account } from "@/lib/protocol/accounts";
import type { SignUpBody } from "@/lib/server/contract/accounts";
import { hash } from "@/lib/server/secrets";
import type { Attempts } from "./attempts";
import { type Auth, type AuthDeps, type Grant, onlyAgent } from "./auth";
import { exists, invitationNeeded, otherAddress, refused, told } from "./refusals";

/** What is answered to who has signed in, with the cookies that keep them so. */
export interface SignedIn {
  account: Account;
  headers: Headers;
}

/** How people get an account with a password: as the first admin, or by an invitation. */
export class SignUps {
  constructor(
    private readonly deps: Pick<AuthDeps, "store">,
    private readonly auth: Auth,
    private readonly attempts: Attempts,
  ) {}

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
    const { headers, response } = await told(
      this.attempts.inTurn(() =>
        this.auth.for({ grant }, () =>
          this.auth.api.signUpEmail({
            body,
            headers: onlyAgent(request.headers),
            returnHeaders: true,
          }),
        ),
      ),
    );
    return { account: toAccount(response.user), headers };
  }
}

export const toAccount = ({
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
