import { AsyncLocalStorage } from "node:async_hooks";
import { APIError, type BetterAuthPlugin, betterAuth } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { type Account, passwordLength, type Role } from "@/lib/protocol/accounts";
import type { BaseDeps } from "@/lib/server/base-deps";
import { publicUrl } from "@/lib/server/env";
import { cookieName, cookiesOf } from "@/lib/server/http/guard";
import { newId } from "@/lib/server/ids";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import { sign } from "@/lib/server/secrets";
import { passkeyPlugin } from "./passkey-plugin";
import type { Roles } from "./roles";
import type { SessionEnds } from "./session-ends";

export type AuthDeps = Pick<BaseDeps, "env" | "secrets" | "store" | "log"> & {
  roles: Pick<Roles, "set" | "forget">;
};

/** Forgets what a person has for MCP servers of their own: connections, secrets, accepted tools. */
export type ForgetServers = (userId: string) => Promise<void>;

/** Ends what a person has running or waiting. */
export type StopWork = (userId: string) => Promise<void>;

export type PersonOfReset = Pick<Account, "id" | "name">;

/** What a new person may do. */
export interface Grant {
  role: Role;
  /** It is the first admin, of whom the table takes one. */
  founder: boolean;
  /** That the address is theirs is known from an admin or from the identity provider, and not from them alone. */
  isProven: boolean;
}

/** What a call of the library is made for; its hooks have no other way to know. */
interface Purpose {
  /** Of a sign-up. */
  grant?: Grant;
  /** Of a reset: takes the secret of the link, which the library would have sent by mail. */
  onResetToken?: (token: string) => void;
  /** Of a new password by such a link: whose it is. */
  onReset?: (person: PersonOfReset) => void;
}

/** A person signs in again after 30 days. */
const sessionSeconds = 30 * 24 * 3600;
/** A link for a new password. */
const resetSeconds = 24 * 3600;
/** After a sign-in, while a passkey can be added. */
const freshSeconds = 3600;
/** Browsers in which one person is signed in at once; the one that was seen longest ago gives way. */
const maxSessions = 50;

export type Auth = ReturnType<typeof openAuth>;

/**
 * better-auth over our own tables. It hashes passwords and keeps accounts and sessions; none of its endpoints is
 * reachable: our routes call its functions with bodies that our schemas have checked.
 */
export function openAuth(
  deps: AuthDeps & { addingPasskeys: KeyedMutex },
  ends: Pick<SessionEnds, "end" | "endAll">,
) {
  const purpose = new AsyncLocalStorage<Purpose>();
  const auth = betterAuth({
    ...authOptions(deps),
    plugins: [vouched, passkeyPlugin(deps.env)],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      resetPasswordTokenExpiresIn: resetSeconds,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }) => {
        ends.endAll(user.id);
        // After the sessions: whoever adds one meanwhile had the device that the link is to shut out.
        await deps.addingPasskeys.run(user.id, () => deps.store.passkeys.deleteAll(user.id));
        purpose.getStore()?.onReset?.(user);
      },
      sendResetPassword: async ({ token }) => purpose.getStore()?.onResetToken?.(token),
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user) => {
            const grant = purpose.getStore()?.grant;
            if (!grant) throw new APIError("FORBIDDEN");
            const { role, founder, isProven } = grant;
            return { data: { ...user, role, founder: founder ? 1 : null, emailVerified: isProven } };
          },
          after: async ({ id }) => {
            const role = purpose.getStore()?.grant?.role;
            if (role) deps.roles.set(id, role);
          },
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            if ((await deps.store.accounts.person(userId))?.disabled)
              throw new APIError("FORBIDDEN", { code: "disabled" });
          },
          after: async ({ userId }) =>
            ends.end(await deps.store.accounts.endSurplusSessions(userId, maxSessions)),
        },
      },
    },
  });
  return { api: auth.api, for: <Result>(what: Purpose, work: () => Result) => purpose.run(what, work) };
}

/** For who comes from the identity provider: functions of the library that it has under no other name. */
const vouched = {
  id: "vouched",
  endpoints: {
    /** Makes an account that has no password. */
    createVouched: createAuthEndpoint.serverOnly(
      { method: "POST", ...bodyOf<{ issuer: string; subject: string; email: string; name: string }>() },
      async ({ context, body: { issuer, subject, email, name } }) => {
        const identity = { providerId: issuer, accountId: subject };
        const { user } = await context.internalAdapter.createOAuthUser(
          { email, name, emailVerified: true },
          identity,
        );
        return { userId: user.id };
      },
    ),
    beginSession: createAuthEndpoint.serverOnly(
      { method: "POST", ...bodyOf<{ userId: string }>() },
      async (ctx) => {
        const { internalAdapter } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        const session = user && (await internalAdapter.createSession(user.id));
        if (!session) throw new APIError("FORBIDDEN");
        await setSessionCookie(ctx, { session, user });
        return { user };
      },
    ),
  },
} satisfies BetterAuthPlugin;

/** Type of a body that comes from us alone. */
function bodyOf<Body>() {
  return { metadata: { $Infer: { body: {} as Body } } };
}

/** What of it says which tables and columns there are, and how cookies are made. */
export function authOptions({ env, secrets, store, log }: AuthDeps) {
  const isSecure = env.PUBLIC_URL?.startsWith("https:") ?? false;
  const own = { createdAt: "created_at", updatedAt: "updated_at" };
  return {
    baseURL: publicUrl(env),
    basePath: "/api/auth",
    secret: sign(secrets.appSecret, "accounts", "better-auth"),
    database: store.accounts.database,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: {
      level: "error",
      // What else it is told may hold an address or a query.
      log: (_level, message) => log.error(`better-auth: ${message}`),
    },
    user: {
      modelName: "account_user",
      fields: { ...own, emailVerified: "email_verified" },
      additionalFields: {
        role: { type: "string", required: true, input: false, defaultValue: "member" },
        disabled: { type: "boolean", required: true, input: false, defaultValue: false },
        founder: { type: "number", required: false, input: false, returned: false, unique: true },
      },
    },
    session: {
      modelName: "account_session",
      fields: {
        ...own,
        ...{ expiresAt: "expires_at", ipAddress: "ip_address", userAgent: "user_agent", userId: "user_id" },
      },
      expiresIn: sessionSeconds,
      freshAge: freshSeconds,
      disableSessionRefresh: true,
    },
    account: {
      modelName: "account_credential",
      fields: {
        ...own,
        ...{ accountId: "account_id", providerId: "provider_id", userId: "user_id", idToken: "id_token" },
        ...{ accessToken: "access_token", accessTokenExpiresAt: "access_token_expires_at" },
        ...{ refreshToken: "refresh_token", refreshTokenExpiresAt: "refresh_token_expires_at" },
      },
    },
    verification: {
      modelName: "account_verification",
      fields: { ...own, expiresAt: "expires_at" },
      storeIdentifier: "hashed",
    },
    advanced: {
      useSecureCookies: isSecure,
      cookiePrefix: `${cookieName(env)}_account`,
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
      // Behind a proxy everybody may say what they like of it.
      ipAddress: { disableIpTracking: true },
      database: { generateId: () => newId() },
    },
  } satisfies Parameters<typeof betterAuth>[0];
}

/** What of a request the library is shown: nothing that it could take for an origin or an address. */
export const onlyCookies = (headers: Headers, env: AuthDeps["env"]) =>
  new Headers(headers.has("cookie") ? { cookie: cookiesOf(headers, env) } : {});
/** A sign-in begins a new session, whatever cookies there are. */
export const onlyAgent = (headers: Headers) =>
  new Headers({ "user-agent": (headers.get("user-agent") ?? "").slice(0, 300) });
