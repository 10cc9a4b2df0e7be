import { getDeps } from "./deps";
import { HttpError } from "./errors";
import { checkHost, cookieName, sessionValue } from "./guard";
import { same } from "./secrets";

/** Browsers cap a cookie's life at 400 days. */
const maxAgeSeconds = 400 * 24 * 3600;

/** Takes the launch token of the printed URL, sets the session cookie and redirects to the clean address. */
export async function signIn(request: Request): Promise<Response> {
  const context = await getDeps();
  try {
    checkHost(request.headers, context);
  } catch (cause) {
    if (cause instanceof HttpError) return cause.toResponse();
    throw cause;
  }
  const headers = new Headers({
    Location: "/",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  const token = new URL(request.url).searchParams.get("token") ?? "";
  if (same(token, context.secrets.launchToken)) {
    const secure = context.env.PUBLIC_URL?.startsWith("https:") ? "; Secure" : "";
    headers.set(
      "Set-Cookie",
      `${cookieName(context.env)}=${sessionValue(context.secrets)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
    );
  }
  // A wrong token ends on the page that says where the right URL is.
  return new Response(null, { status: 303, headers });
}
