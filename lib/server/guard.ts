import { allowedHosts, type Env, publicUrl } from "./env";
import { HttpError } from "./errors";
import { type Secrets, same, sign } from "./secrets";

/** What the guard needs to know; a part of `Deps`, so that it can be tested alone. */
export interface GuardContext {
  env: Pick<Env, "PORT" | "PUBLIC_URL">;
  secrets: Secrets;
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Name of the session cookie; two instances on one host differ by port and must not sign each other out. */
export const cookieName = (env: Pick<Env, "PORT">): string => `meguri_${env.PORT}`;

/** The cookie's value: bound to the launch token, so that a new token signs everybody out; survives restarts. */
export const sessionValue = ({ appSecret, launchToken }: Secrets): string =>
  sign(appSecret, "session", launchToken);

/** Refuses requests under a name that is not ours: DNS rebinding. */
export function checkHost(headers: Headers, { env }: GuardContext): void {
  const host = headers.get("host")?.toLowerCase();
  if (!host || !allowedHosts(env).has(host))
    throw new HttpError(403, "forbidden_host", `Open ${publicUrl(env)} instead; this address is not ours.`);
}

/** Refuses to change anything for another site's page. Returns whether the request proved to come from our own page. */
export function checkOrigin(request: Request, { env }: GuardContext): void {
  if (safeMethods.has(request.method)) return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const foreign = site === "cross-site" || (origin !== null && !ourOrigins(env).has(origin.toLowerCase()));
  if (foreign)
    throw new HttpError(403, "forbidden_origin", "Another site's page may not change anything here.");
  if (origin === null && !bearer(request.headers))
    throw new HttpError(403, "forbidden_origin", "Send an Origin header, or use a Bearer token.");
}

/** Whether the session cookie or the Bearer token is right. */
export function isSignedIn(headers: Headers, { env, secrets }: GuardContext): boolean {
  const token = bearer(headers);
  if (token) return same(token, secrets.launchToken);
  const cookie = readCookie(headers.get("cookie") ?? "", cookieName(env));
  return cookie !== undefined && same(cookie, sessionValue(secrets));
}

export function checkSession(headers: Headers, context: GuardContext): void {
  if (!isSignedIn(headers, context))
    throw new HttpError(
      401,
      "unauthorized",
      "Open the URL that was printed at the start, or send the launch token as Bearer.",
    );
}

export function ourOrigins(env: Pick<Env, "PORT" | "PUBLIC_URL">): Set<string> {
  const origins = new Set([...allowedHosts(env)].map((host) => `http://${host}`));
  if (env.PUBLIC_URL) {
    origins.delete(`http://${new URL(env.PUBLIC_URL).host}`);
    origins.add(new URL(env.PUBLIC_URL).origin);
  }
  return origins;
}

function bearer(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
