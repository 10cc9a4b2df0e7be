import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { hasName } from "@/lib/protocol/has-name";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** What is saved of a sign-in to one MCP server; all of it is secret. */
export interface SavedLogin {
  /** The address that it was made for; it is not used for another one. */
  url: string;
  /** Bound to the issuer that they name. */
  tokens?: StoredOAuthTokens | undefined;
  /** Our registration with each authorization server, by issuer. */
  clients?: Record<string, StoredOAuthClientInformation> | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Key pair of DPoP as private JWK, when the authorization server binds tokens to one. */
  dpopKey?: JsonWebKey;
  /** A sign-in that was begun and has not ended. */
  pending?: PendingLogin | undefined;
  /** A wider scope than was granted, which the server has asked for. */
  wantedScope?: string | undefined;
}

export interface PendingLogin {
  state: string;
  codeVerifier: string;
  redirectUrl: string;
  scope?: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** Stores logins, encrypted, by name of the server. */
export interface LoginMemory {
  get(server: string): Promise<SavedLogin | undefined>;
  /** Stores what `change` makes of what is stored, in one transaction. */
  update(server: string, change: (saved: SavedLogin | undefined) => SavedLogin): Promise<void>;
  delete(server: string): Promise<void>;
}

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

/** A person has to sign in, or sign in again with a wider scope. */
export class LoginNeededError extends Error {
  // Routes are bundled one by one, and each bundle has its own class.
  static [Symbol.hasInstance] = hasName("LoginNeededError");
  override name = "LoginNeededError";
  constructor(
    message: string,
    readonly scope?: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export const askPerson = "The server asks for a sign-in.";
