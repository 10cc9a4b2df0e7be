import { OAuthError } from "@modelcontextprotocol/client";
import { ForbiddenAddressError } from "@/lib/mcp/transport/guarded-fetch";
import { LoginNeededError } from "./login-needed-error";

/** Why a sign-in failed, in plain words with the next step. */
export function explainLogin(cause: unknown, { host }: URL): LoginNeededError {
  if (cause instanceof LoginNeededError) return cause;
  const because = forbiddenAddressIn(cause);
  if (because) return new LoginNeededError(because.message);
  if (cause instanceof OAuthError)
    return new LoginNeededError(
      explainCode(cause, host) ??
        `The authorization server of ${host} answered: ${cause.message.slice(0, 300)}`,
      undefined,
      cause,
    );
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message.includes("does not support dynamic client registration"))
    return new LoginNeededError(
      `The authorization server of ${host} registers no clients by itself. Register Meguri there by hand and write the client id into "oauth" of the entry.`,
      undefined,
      cause,
    );
  if (message.includes("Dynamic Client Registration rejected"))
    return new LoginNeededError(
      `${host} wants a token but offers no way to sign in that works by itself. Add the header Authorization with a token to the entry, or write the client id that its operator gave you into "oauth".`,
      undefined,
      cause,
    );
  return new LoginNeededError(
    `Signing in at ${host} failed: ${rootOf(cause).slice(0, 300)}`,
    undefined,
    cause,
  );
}

function explainCode({ code }: OAuthError, host: string): string | undefined {
  switch (code) {
    case "access_denied":
      return "The sign-in was declined.";
    case "invalid_grant":
      return "The sign-in has expired or was already used; sign in again.";
    case "invalid_client":
    case "unauthorized_client":
      return `The authorization server of ${host} does not know this client any more; sign in again.`;
    case "invalid_scope":
      return `The authorization server of ${host} does not know the scope that was asked for. Correct "oauth.scope" of the entry.`;
    default:
      return undefined;
  }
}

/** An `error` of an authorization response (RFC 6749, 4.1.2.1). */
export function explainRefusal(error: string, description: string | null): string {
  if (error === "access_denied") return "The sign-in was declined.";
  const code = error.slice(0, 100);
  return description
    ? `The authorization server answered ${code}: ${description.slice(0, 300)}.`
    : `The authorization server answered ${code}.`;
}

/** "fetch failed" says nothing; its cause does. */
function rootOf(cause: unknown): string {
  let root = cause;
  for (let depth = 0; root instanceof Error && root.cause instanceof Error && depth < 8; depth++)
    root = root.cause;
  return root instanceof Error ? root.message : String(root);
}

/** The address that the guarded fetch refused, where that is the cause. */
export function forbiddenAddressIn(cause: unknown): ForbiddenAddressError | undefined {
  for (let error = cause, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++)
    if (error instanceof ForbiddenAddressError) return error;
  return undefined;
}
