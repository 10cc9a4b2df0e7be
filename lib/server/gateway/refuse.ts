import type { Env } from "@/lib/server/env";
import type { HttpError } from "@/lib/server/http/errors";
import { originOf } from "@/lib/server/http/guard";

/** JSON-RPC has no code for most of what HTTP refuses. */
const general = -32_000;
/** By the codes of ours. */
const codes: Partial<Record<string, number>> = {
  invalid_json: -32_700,
  invalid_input: -32_600,
  no_session: -32_001,
};

/** A refusal at the door as clients of MCP know it: the status of HTTP, and an error that answers no request in particular. */
export function refuseClient(
  { status, code, message, retryAfterSeconds }: HttpError,
  { request, deps }: { request: Request; deps: { env: Env } | undefined },
): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", String(retryAfterSeconds));
  if (status === 401) {
    // Where a client that knows OAuth alone begins.
    const metadata =
      deps &&
      `, resource_metadata="${originOf(deps.env, request.headers)}/.well-known/oauth-protected-resource/mcp"`;
    const wrong = request.headers.has("authorization") ? ', error="invalid_token"' : "";
    headers.set("WWW-Authenticate", `Bearer realm="Meguri"${wrong}${metadata ?? ""}, scope="mcp"`);
  }
  if (code === "insufficient_scope")
    headers.set("WWW-Authenticate", 'Bearer realm="Meguri", error="insufficient_scope", scope="mcp"');
  const error = { code: codes[code] ?? general, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
