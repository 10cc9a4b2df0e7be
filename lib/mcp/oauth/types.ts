import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { hasName } from "@/lib/protocol/has-name";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** What a sign-in to one MCP server leaves behind; all of it secret. */
export interface SavedLogin {
  /** The server it was made for; under another address it counts for nothing. */
  url: string;
  /** Bound to the issuer that they name. */
  tokens?: StoredOAuthTokens | undefined;
  /** How we are known to each authorization server, by issuer. */
  clients?: Record<string, StoredOAuthClientInformation> | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Key pair of DPoP as private JWK, when the authorization server binds tokens to one. */
  dpopKey?: JsonWebKey;
  /** What a person has begun and not brought to its end. */
  pending?: PendingLogin | undefined;
  /** More than was granted: a server has asked for it. */
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

/** Where logins are kept, encrypted; by name of the server. */
export interface LoginMemory {
  get(server: string): Promise<SavedLogin | undefined>;
  set(server: string, login: SavedLogin | undefined): Promise<void>;
}

/** How this host signs in. */
export interface LoginSetup {
  memory: LoginMemory;
  /** Where people come back to, the preferred one first; all are registered. */
  redirectUrls: readonly string[];
  /** Public https address of our client metadata document (CIMD); undefined when we have none. */
  clientMetadataUrl?: string | undefined;
}

/** `oauth` of an entry of the file, variables put in. */
export type OAuthConfig = NonNullable<McpServerConfig["oauth"]>;

/** Thrown where a person has to sign in first, or once more with a wider scope. */
export class LoginNeededError extends Error {
  // Routes are bundled one by one, and each has a class of its own.
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
