/**
 * `read`: what only reads; `chat`: also conversations and runs; `admin`: whatever an admin may. Each of these has those before it.
 * `mcp`: what is at /mcp, and nothing else.
 */
export const tokenScopes = ["read", "chat", "mcp", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** How a program uses the servers of its owner. */
export interface TokenOptions {
  /** Their names; absent: all. */
  servers?: string[];
  /** What tools are called: `server__tool` unless told; `plain`: as their server calls them, where there is exactly one. */
  names?: "qualified" | "plain";
  /** A call that needs a person waits for them, or fails at once; absent: it waits at /mcp and fails at /v1. */
  onApproval?: "wait" | "fail";
  /** How long it waits, ms; `defaultWaitMs` unless told. */
  waitMs?: number;
}

export const defaultWaitMs = 300_000;

/** Begins every API token, so that one that has leaked is found by its shape. */
export const tokenPrefix = "mgr_";

/** Characters of the name that its owner gives it. */
export const maxTokenName = 80;

/** `GET /api/tokens`: one's own, those that have expired too. */
export interface ApiTokenItem extends TokenOptions {
  id: string;
  name: string;
  /** The first characters of its value, to know it by. */
  start: string;
  scopes: TokenScope[];
  createdAt: string;
  /** Null: never. */
  expiresAt: string | null;
  /** To 5 minutes; null until it is used. */
  lastUsedAt: string | null;
  /** It opens nothing any more: a program's, which is shown for 30 days. */
  revokedAt?: string;
}

/** The answer of `POST /api/tokens`; the value is shown this once. */
export interface NewApiToken extends ApiTokenItem {
  value: string;
}
