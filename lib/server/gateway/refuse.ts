import type { HttpError } from "@/lib/server/http/errors";

/** JSON-RPC has no code for most of what HTTP refuses. */
const general = -32_000;
/** By the codes of ours. */
const codes: Partial<Record<string, number>> = {
  invalid_json: -32_700,
  invalid_input: -32_600,
  no_session: -32_001,
};

/** A refusal at the door as clients of MCP know it: the status of HTTP, and an error that answers no request in particular. */
export function refuseClient({ status, code, message, retryAfterSeconds }: HttpError): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (retryAfterSeconds !== undefined) headers.set("Retry-After", String(retryAfterSeconds));
  if (status === 401) headers.set("WWW-Authenticate", 'Bearer realm="Meguri"');
  if (code === "insufficient_scope")
    headers.set("WWW-Authenticate", 'Bearer realm="Meguri", error="insufficient_scope", scope="mcp"');
  const error = { code: codes[code] ?? general, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
