import type { Env } from "@/lib/server/env";
import { cookieName, readCookie } from "@/lib/server/http/guard";
import { seal, unseal } from "@/lib/server/seal";
import { hash, type Secrets } from "@/lib/server/secrets";
import type { Bus } from "@/lib/store/bus";
import type { SignInChecks } from "./identity-provider";

/** What a browser holds of a sign-in that it has begun at the provider. */
export interface PendingSignIn extends SignInChecks {
  /** Where it goes afterwards: a path of ours. */
  next: string;
  /** Of the link that it was begun from. */
  invitation?: string | undefined;
}

const lastsMs = 10 * 60_000;
/** That are remembered as used: the provider takes its code once as well. */
const maxUsed = 10_000;
const purpose = "sign-in at the identity provider";

/** Sign-ins that are under way: each in a sealed cookie of its browser, so that a stranger's take no room here. */
export class PendingSignIns {
  /** Hashes of states that were taken here or elsewhere, oldest first, and when they end by themselves. */
  private readonly used = new Map<string, number>();

  constructor(
    private readonly deps: {
      env: Pick<Env, "PORT" | "PUBLIC_URL">;
      secrets: Pick<Secrets, "appSecret">;
      bus: Pick<Bus, "publish" | "subscribe">;
    },
    private readonly now: () => number = Date.now,
  ) {
    deps.bus.subscribe("sign-ins", (key) => this.note(key));
  }

  /** The cookie that holds it. */
  begin(pending: PendingSignIn): string {
    const text = JSON.stringify({ ...pending, until: this.now() + lastsMs });
    return this.cookie(seal(this.deps.secrets.appSecret, purpose, text), lastsMs / 1000);
  }

  /** The one that this browser has begun with this state; undefined when it has none, it is too old, or was taken before. */
  take(headers: Headers, state: string | null): PendingSignIn | undefined {
    const sealed = readCookie(headers.get("cookie") ?? "", this.name);
    const text = sealed && unseal(this.deps.secrets.appSecret, purpose, sealed);
    if (!text) return undefined;
    const { until, ...pending } = JSON.parse(text) as PendingSignIn & { until: number };
    const key = hash(pending.state);
    if (pending.state !== state || until <= this.now() || this.used.has(key)) return undefined;
    // It is heard here as well, before anything else happens.
    this.deps.bus.publish("sign-ins", key);
    return pending;
  }

  private note(key: string): void {
    this.used.set(key, this.now() + lastsMs);
    for (const [old, end] of this.used)
      if (end <= this.now() || this.used.size > maxUsed) this.used.delete(old);
      else break;
  }

  /** Takes the cookie back. */
  forget(): string {
    return this.cookie("", 0);
  }

  private get name(): string {
    return `${cookieName(this.deps.env)}_oidc`;
  }

  private cookie(value: string, maxAge: number): string {
    const secure = this.deps.env.PUBLIC_URL?.startsWith("https:") ? "; Secure" : "";
    return `${this.name}=${value}; Path=/api/auth/oidc; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  }
}
