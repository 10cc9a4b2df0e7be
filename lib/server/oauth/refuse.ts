import type { HttpError } from "@/lib/server/http/errors";

/** Codes that are OAuth's already, and two that it has no words for; of all others it has two. */
const known = new Set([
  ...["forbidden_host", "forbidden_origin"],
  ...["invalid_client", "invalid_grant", "invalid_target", "unsupported_grant_type"],
  ...["invalid_redirect_uri", "invalid_client_metadata"],
]);

/** A refusal as OAuth clients know it. */
export function refuseOAuth({ status, code, message, retryAfterSeconds }: HttpError): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", String(retryAfterSeconds));
  const error = known.has(code) ? code : status < 500 ? "invalid_request" : "server_error";
  return Response.json({ error, error_description: message }, { status, headers });
}
