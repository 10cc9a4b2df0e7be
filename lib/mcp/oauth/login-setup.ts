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
  /** What the identity provider says of the person whose sign-ins these are; undefined without one. */
  vouching?: Vouching | undefined;
}

/** The person's identity provider, asked for one MCP server (enterprise-managed authorization). */
export interface Vouching {
  /** An ID-JAG, a JWT for that authorization server. Throws `LoginNeededError` where the person has to sign in again. */
  vouch(wanted: WantedGrant): Promise<string>;
  /** Where they do; they come back to this page of ours. */
  signInPage(returnTo: string): URL;
}

export interface WantedGrant {
  /** Issuer of the authorization server that takes it. */
  audience: string;
  /** The MCP server, as its metadata name it (RFC 9728). */
  resource: string;
  scope?: string | undefined;
}

/** `oauth` of an entry of the file, with variables expanded. */
export type OAuthConfig = NonNullable<McpServerConfig["oauth"]>;

/** A token is granted without a page of the authorization server that a person would have to open. */
export const isMachine = ({ grant }: OAuthConfig): boolean =>
  grant === "client_credentials" || grant === "jwt_bearer" || grant === "id_jag";

/** The identity provider speaks for the person. */
export const isVouched = ({ grant }: Pick<OAuthConfig, "grant">): boolean => grant === "id_jag";

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
