/** `read`: what only reads; `chat`: also conversations and runs; `admin`: whatever an admin may. Each has those before it. */
export const tokenScopes = ["read", "chat", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Begins every API token, so that one that has leaked is found by its shape. */
export const tokenPrefix = "mgr_";

/** Characters of the name that its owner gives it. */
export const maxTokenName = 80;

/** `GET /api/tokens`: one's own, those that have expired too. */
export interface ApiTokenItem {
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
}

/** The answer of `POST /api/tokens`; the value is shown this once. */
export interface NewApiToken extends ApiTokenItem {
  value: string;
}
