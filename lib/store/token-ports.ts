import type { TokenOptions, TokenScope } from "@/lib/protocol/api-tokens";
import type { PersonRow } from "./account-ports";

export interface ApiTokenRow {
  id: string;
  userId: string;
  name: string;
  /** The first characters of its value. */
  start: string;
  scopes: readonly TokenScope[];
  options: TokenOptions;
  createdAt: number;
  /** Null: never. */
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** It signs nobody in any more, and is kept to show what its program did. */
  revokedAt?: number;
  /** Of a program that has asked by OAuth: its value changes, and `expiresAt` is the end of the present one. */
  grant?: OAuthGrant;
}

/** What is known of a program that was let in by OAuth; of all secrets there are hashes. */
export interface OAuthGrant {
  clientId: string;
  code: string;
  /** By which the program shows that it has asked itself; gone once the code was exchanged. */
  asked?: { challenge: string; redirectUri: string };
  /** Of all its refresh tokens, and of the one that counts. */
  family?: string;
  refresh?: string;
  /** When it has to ask its person again. */
  endsAt: number;
}

export type TokenOwner = Pick<PersonRow, "name" | "email" | "role" | "disabled">;

/** What people's programs sign in with, with or without accounts. */
export interface ApiTokens {
  /** False, and nothing is added, when this person has so many already. */
  add(row: ApiTokenRow & { tokenHash: string }, most: number): Promise<boolean>;
  /** Of this person, newest first, those too that have expired or were revoked. */
  list(userId: string): Promise<ApiTokenRow[]>;
  /** With whose it is, where that is an account. */
  byHash(tokenHash: string): Promise<{ token: ApiTokenRow; owner: TokenOwner | undefined } | undefined>;
  /** With the hash that finds it. */
  byId(id: string): Promise<(ApiTokenRow & { tokenHash: string }) | undefined>;
  /** Gives it another value; false where another request has done so before. */
  renew(
    id: string,
    from: string,
    to: Pick<ApiTokenRow, "start" | "expiresAt"> & { tokenHash: string; grant: OAuthGrant },
  ): Promise<boolean>;
  /** From then on no hash finds it; it counts no more, and of several the newest `keep` stay. False where there is none to revoke. */
  revoke(userId: string, id: string, at: number, keep: number): Promise<boolean>;
  /** Whether this person had it. */
  delete(userId: string, id: string): Promise<boolean>;
  deleteAll(userId: string): Promise<void>;
  noteUsed(id: string, at: number): Promise<void>;
}
