import type { Deps } from "@/lib/server/deps";
import { same } from "@/lib/server/secrets";
import { cookieName, sessionCookie } from "./guard";
import { sessionDays } from "./sessions";

/**
 * Takes the launch token of the printed URL, sets the session cookie and redirects to the clean address. Each time a
 * new session, in place of the one that this browser had.
 */
export async function signIn(deps: Deps, request: Request): Promise<Response> {
  const headers = new Headers({
    Location: "/",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  const token = new URL(request.url).searchParams.get("token") ?? "";
  if (same(token, deps.secrets.launchToken)) {
    const value = await deps.sessions.begin(sessionCookie(request.headers, deps.env));
    headers.set("Set-Cookie", toCookie(deps, value, sessionDays * 24 * 3600));
  }
  // A wrong token ends on the page that says where the right URL is.
  return new Response(null, { status: 303, headers });
}

/** Ends the session of this browser, and of no other. */
export async function signOut(deps: Deps, request: Request): Promise<Response> {
  const value = sessionCookie(request.headers, deps.env);
  if (value !== undefined) await deps.sessions.end(value);
  return Response.json({}, { headers: { "Cache-Control": "no-store", "Set-Cookie": toCookie(deps, "", 0) } });
}

function toCookie({ env }: Pick<Deps, "env">, value: string, maxAge: number): string {
  const secure = env.PUBLIC_URL?.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(env)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
