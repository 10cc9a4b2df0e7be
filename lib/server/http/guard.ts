import type { Account } from "@/lib/protocol/accounts";
import { type TokenOptions, type TokenScope, tokenPrefix } from "@/lib/protocol/api-tokens";
import { allowedHosts, type Env, publicUrl } from "@/lib/server/env";
import { localUser } from "@/lib/server/ids";
import { type Secrets, same } from "@/lib/server/secrets";
import { HttpError } from "./errors";

/** What the guard needs to know. */
export interface GuardContext {
  env: Pick<Env, "PORT" | "PUBLIC_URL">;
  secrets: Pick<Secrets, "launchToken">;
  sessions: { has(cookie: string): Promise<boolean> };
  /** With `AUTH=accounts`: these alone say who somebody is. */
  accounts?: { personOf(headers: Headers): Promise<Person | undefined> } | undefined;
}

/** Who has sent a request. */
export interface Person extends Account {
  /** Null where there are no accounts, and with a token. */
  sessionId: string | null;
  /** The API token that the request came with. Without the scope `admin` its role is `member`, whatever its owner's is. */
  token: ({ id: string; name: string; scopes: readonly TokenScope[] } & TokenOptions) | null;
}

/** The one person of `AUTH=local`, who is also the operator. */
export const localPerson: Person = {
  ...{ id: localUser, name: "", email: "", role: "admin" },
  sessionId: null,
  token: null,
};

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

type CookieEnv = Pick<Env, "PORT" | "PUBLIC_URL">;

/**
 * Name of the session cookie. Two installations on one host differ by port and must not sign each other out; the
 * instances behind one address share it.
 */
export const cookieName = ({ PORT, PUBLIC_URL }: CookieEnv): string =>
  `meguri_${PUBLIC_URL === undefined ? PORT : new URL(PUBLIC_URL).host.replace(/[^a-z\d]/gi, "_")}`;

/** What the browser sends as its session. */
export const sessionCookie = (headers: Headers, env: CookieEnv): string | undefined =>
  readCookie(cookiesOf(headers, env), cookieName(env));

/** What the browser sends; a session that began before PUBLIC_URL was set, or gave its cookie the name, counts on. */
export function cookiesOf(headers: Headers, env: CookieEnv): string {
  const header = headers.get("cookie") ?? "";
  if (env.PUBLIC_URL === undefined) return header;
  const former = new RegExp(`^(\\s*(?:__Secure-|__Host-)?)meguri_${env.PORT}(?==|_account)`);
  const pairs = header.split(";");
  const nameOf = (pair: string) => pair.slice(0, pair.indexOf("=")).trim();
  const names = new Set(pairs.map(nameOf));
  const renamed = pairs.map((pair) => {
    const now = pair.replace(former, `$1${cookieName(env)}`);
    return names.has(nameOf(now)) ? pair : now;
  });
  return renamed.join(";");
}

/** Refuses requests under a name that is not ours: DNS rebinding. */
export function checkHost(headers: Headers, { env }: GuardContext): void {
  const host = headers.get("host")?.toLowerCase();
  if (!host || !allowedHosts(env).has(host))
    throw new HttpError(403, "forbidden_host", `Open ${publicUrl(env)} instead; this address is not ours.`);
}

/**
 * Refuses what another site's page asks for. The cookie goes with requests of every port of this host, and counts only
 * where the browser says that our own page, or nobody's (a typed address), has asked; older browsers do not say it.
 * `navigation`: a page of another site may also lead here, as an authorization server does. `withToken`: an API token has
 * been found to be right, which no browser adds by itself.
 */
export function checkOrigin(
  request: Request,
  { env, accounts }: Pick<GuardContext, "env" | "accounts">,
  { navigation = false, withToken = false }: { navigation?: boolean | undefined; withToken?: boolean } = {},
): void {
  const { headers, method } = request;
  const isSafe = safeMethods.has(method);
  // Who signs in with a cookie may send any token beside it.
  const byToken = withToken || (!accounts && bearer(headers) !== undefined);
  const site = headers.get("sec-fetch-site");
  const isOurs = site === null || site === "same-origin" || site === "none";
  const leadsHere = navigation && method === "GET" && headers.get("sec-fetch-mode") === "navigate";
  if (!isOurs && !byToken && !leadsHere)
    throw new HttpError(403, "forbidden_origin", "Another site's page may not read or change anything here.");
  if (isSafe) return;
  checkNoForeignPage(request, { env });
  if (headers.get("origin") === null && !byToken)
    throw new HttpError(403, "forbidden_origin", "Send an Origin header, or use a Bearer token.");
}

/** For what needs no session as well, where programs ask: they have no page, and ours may be asked from our pages alone. */
export function checkNoForeignPage({ headers, method }: Request, { env }: Pick<GuardContext, "env">): void {
  if (safeMethods.has(method)) return;
  const origin = headers.get("origin");
  const isForeign = origin !== null && !ourOrigins(env).has(origin.toLowerCase());
  if (isForeign || headers.get("sec-fetch-site") === "cross-site")
    throw new HttpError(403, "forbidden_origin", "Another site's page may not read or change anything here.");
}

/** Whether this browser has opened the printed address, or the Bearer token is the one in it. */
export async function hasLaunchToken(
  headers: Headers,
  { env, secrets, sessions }: GuardContext,
): Promise<boolean> {
  const token = bearer(headers);
  if (token) return same(token, secrets.launchToken);
  const cookie = sessionCookie(headers, env);
  return cookie !== undefined && sessions.has(cookie);
}

/** Who is signed in. */
export async function personOf(headers: Headers, context: GuardContext): Promise<Person | undefined> {
  if (context.accounts) return context.accounts.personOf(headers);
  return (await hasLaunchToken(headers, context)) ? localPerson : undefined;
}

/** The same; 401 for nobody. */
export async function checkSession(headers: Headers, context: GuardContext): Promise<Person> {
  const person = await personOf(headers, context);
  if (person) return person;
  throw new HttpError(
    401,
    "unauthorized",
    context.accounts
      ? "Sign in first; in a browser, reload the page."
      : "Open the URL that was printed at the start, or send the launch token as Bearer.",
  );
}

/** Who asks the API: whose API token it is, or who is signed in; 401 for nobody. Pages are not opened with a token. */
export async function checkCaller(
  headers: Headers,
  context: GuardContext & { tokens: { personOf(value: string): Promise<Person | undefined> } },
): Promise<Person> {
  const value = bearer(headers);
  if (!value?.startsWith(tokenPrefix)) return checkSession(headers, context);
  const person = await context.tokens.personOf(value);
  if (person) return person;
  throw new HttpError(
    401,
    "unauthorized",
    "This API token is unknown, has expired or was deleted; make a new one in the settings.",
  );
}

/** For what programs alone ask: a token, and no page of another site, which could not know one but may be told one. */
export function checkProgram(headers: Headers, { env, accounts }: GuardContext): void {
  const value = bearer(headers);
  if (value === undefined || (accounts && !value.startsWith(tokenPrefix)))
    throw new HttpError(
      401,
      "unauthorized",
      "Send an API token as Authorization: Bearer; it is made in the settings.",
    );
  const origin = headers.get("origin");
  if (origin !== null && !ourOrigins(env).has(origin.toLowerCase()))
    throw new HttpError(403, "forbidden_origin", "Another site's page may not read or change anything here.");
}

/** By what is needed, the scopes that are enough. */
const enough: Record<TokenScope, readonly TokenScope[]> = {
  read: ["read", "chat", "admin"],
  chat: ["chat", "admin"],
  mcp: ["mcp"],
  admin: ["admin"],
};

/** Whether this is no program, or its token has this scope. */
export const hasScope = ({ token }: Pick<Person, "token">, needed: TokenScope): boolean =>
  token === null || token.scopes.some((scope) => enough[needed].includes(scope));

/** 403 where the request came with an API token that lacks this scope; `none`: whatever its scopes. */
export function checkScope({ token }: Pick<Person, "token">, needed: TokenScope | "none"): void {
  if (!token) return;
  if (needed === "none")
    throw new HttpError(403, "not_by_token", "An API token cannot do this; sign in with a browser.");
  if (!hasScope({ token }, needed))
    throw new HttpError(
      403,
      "insufficient_scope",
      `This needs the scope ${needed}, which the API token does not have; use one that has it.`,
    );
}

/** Whether a request changes nothing. */
export const isReading = (method: string): boolean => safeMethods.has(method);

/** 403 for members, who use what an admin has set up. */
export function checkAdmin({ role }: Pick<Person, "role">): void {
  if (role !== "admin") throw new HttpError(403, "forbidden", "Only an admin can do this; ask one.");
}

export function ourOrigins(env: Pick<Env, "PORT" | "PUBLIC_URL">): Set<string> {
  const origins = new Set([...allowedHosts(env)].map((host) => `http://${host}`));
  if (env.PUBLIC_URL) {
    origins.delete(`http://${new URL(env.PUBLIC_URL).host}`);
    origins.add(new URL(env.PUBLIC_URL).origin);
  }
  return origins;
}

/** That by which we are asked, so that a client finds what it is told where it has asked; the host has been checked. */
export function originOf({ PUBLIC_URL }: Pick<Env, "PUBLIC_URL">, headers: Headers): string {
  const host = headers.get("host")?.toLowerCase() ?? "";
  const known = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL);
  return known?.host === host ? known.origin : `http://${host}`;
}

/** The token that a request comes with. */
export function bearer(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
