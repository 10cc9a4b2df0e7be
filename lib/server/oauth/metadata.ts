import type { Env } from "@/lib/server/env";
import { originOf } from "@/lib/server/http/guard";

/** RFC 9728: what `/mcp` is, and who lets programs in there. */
export function describeResource(env: Env, headers: Headers) {
  const origin = originOf(env, headers);
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    bearer_methods_supported: ["header"],
    scopes_supported: ["mcp"],
    resource_name: "Meguri",
  };
}

/** RFC 8414: how they are let in. */
export function describeServer(env: Env, headers: Headers) {
  const origin = originOf(env, headers);
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/api/oauth/token`,
    registration_endpoint: `${origin}/api/oauth/register`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["mcp"],
    authorization_response_iss_parameter_supported: true,
  };
}
