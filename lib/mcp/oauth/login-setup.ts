import type { OAuthClientMetadata } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { LoginMemory } from "./login-store";

/** How this host signs in. */
export interface LoginSetup {
  memory: LoginMemory;
  /** Where people return to, the preferred one first; all are registered. */
  redirectUrls: readonly string[];
  /** Public https address of our client metadata document (CIMD); undefined without one. */
  clientMetadataUrl?: string | undefined;
}

/** `oauth` of an entry of the file, with variables expanded. */
export type OAuthConfig = NonNullable<McpServerConfig["oauth"]>;

/** The client authenticates for itself: no person is needed. */
export const isMachine = ({ grant }: OAuthConfig): boolean =>
  grant === "client_credentials" || grant === "jwt_bearer";

/** Our client metadata, for registration and for the metadata document. */
export function clientMetadata(
  redirectUrls: readonly string[],
  {
    machine = false,
    secret = false,
    scope,
  }: { machine?: boolean; secret?: boolean; scope?: string | undefined } = {},
): OAuthClientMetadata {
  return {
    client_name: "Meguri",
    redirect_uris: machine ? [] : [...redirectUrls],
    grant_types: machine ? ["client_credentials"] : ["authorization_code", "refresh_token"],
    response_types: machine ? [] : ["code"],
    token_endpoint_auth_method: secret ? "client_secret_basic" : "none",
    ...(scope && { scope }),
  };
}
