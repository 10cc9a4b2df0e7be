import { askPerson, LoginNeededError } from "@/lib/mcp/oauth/login-needed-error";
import type { WantedGrant } from "@/lib/mcp/oauth/login-setup";
import type { BaseDeps } from "@/lib/server/base-deps";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";
import type { IdentityProvider, ProviderTokens } from "./identity-provider";
import { SignInFailure } from "./sign-in-failure";

const key = "oidc-tokens";
const purposeOf = (owner: string): string => `tokens of the identity provider ${owner}`;

export const sealedProviderTokens: SealedSetting = {
  fits: (setting) => setting === key,
  reseal: (value, again, { owner }) => again(purposeOf(owner), value as string),
};

/** One that ends this soon may have ended when it arrives. */
const marginMs = 30_000;

/** What the provider has given for a person at their last sign-in, sealed, for MCP servers that take its word. */
export class VouchedTokens {
  /** By person: a refresh token is good for one use. */
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly deps: Pick<BaseDeps, "store" | "secrets" | "log">,
    private readonly provider: Pick<IdentityProvider, "exchange" | "refresh">,
  ) {}

  async keep(userId: string, tokens: ProviderTokens): Promise<void> {
    await this.deps.store.settings.set(userId, key, this.sealed(userId, tokens));
  }

  /** An ID-JAG for one MCP server. Throws `LoginNeededError` where the person has to sign in at the provider again. */
  async vouch(userId: string, wanted: WantedGrant): Promise<string> {
    const { idToken } = await this.turns.run(userId, () => this.current(userId));
    return this.provider.exchange({ ...wanted, idToken }).catch((cause) => {
      throw this.explained(cause);
    });
  }

  private async current(userId: string): Promise<ProviderTokens> {
    const { settings } = this.deps.store;
    const sealed = await settings.get<string>(userId, key);
    const text = sealed && unseal(this.deps.secrets.appSecret, purposeOf(userId), sealed);
    if (!text) throw new LoginNeededError(askPerson);
    const known = JSON.parse(text) as ProviderTokens;
    if (known.until - marginMs > Date.now()) return known;
    if (known.refreshToken === undefined) throw new LoginNeededError(askPerson);
    const next = await this.provider.refresh(known).catch((cause) => {
      throw isOver(cause) ? new LoginNeededError(askPerson) : this.explained(cause);
    });
    // Whoever has signed in again meanwhile has newer ones.
    await settings.update(userId, key, (stored: string | undefined) =>
      stored === sealed ? this.sealed(userId, next) : stored,
    );
    return next;
  }

  private sealed(userId: string, tokens: ProviderTokens): string {
    return seal(this.deps.secrets.appSecret, purposeOf(userId), JSON.stringify(tokens));
  }

  private explained(cause: unknown): Error {
    if (!(cause instanceof SignInFailure)) return cause as Error;
    this.deps.log.warn(cause.reason, `identity provider: ${cause.code}`);
    return new LoginNeededError(
      cause.code === "unavailable"
        ? "Your identity provider does not answer now; try again later."
        : "Your identity provider does not let you use this server; ask an admin.",
    );
  }
}

const isOver = (cause: unknown): boolean =>
  cause instanceof SignInFailure && (cause.reason as { error?: unknown }).error === "invalid_grant";
