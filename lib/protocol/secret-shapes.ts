export type SecretKind =
  | "private key"
  | "API key"
  | "GitHub token"
  | "AWS key"
  | "Google key"
  | "Slack token"
  | "JSON Web Token"
  | "password in a URL"
  /** One that is stored here, whatever it looks like. */
  | "stored secret";

/**
 * The shapes of secrets that leak most, each with its name; a hit is a question to a person, not a verdict.
 * Each is read in linear time: what one start has read without success, no later start reads again.
 */
export const secretShapes: readonly [kind: SecretKind, pattern: RegExp][] = [
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi],
  ["API key", /\bsk-[A-Z0-9_-]{16,}\b/gi],
  // An API token of Meguri.
  ["API key", /\bmgr_[\w-]{43,}/gi],
  ["GitHub token", /\b(?:gh[pousr]_[A-Z0-9]{20,}|github_pat_[A-Z0-9_]{20,})\b/gi],
  ["AWS key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gi],
  ["Google key", /\bAIza[A-Z0-9_-]{30,}/gi],
  ["Slack token", /\bxox[abprs]-[A-Z0-9-]{10,}/gi],
  // A part ends where the next one may begin, so that "eyJ-eyJ-eyJ-…" is not read from each start to its end.
  ["JSON Web Token", /\beyJ(?:(?!-eyJ)[\w-]){8,}\.eyJ(?:(?!-eyJ)[\w-]){8,}\.[\w-]{8,}/gi],
  ["password in a URL", /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']*:[^\s/@"']+@/gi],
];

const maxSearched = 4_000;

/** Whether anything in the first 4,000 characters has the shape of a secret. */
export const hasSecretShape = (text: string): boolean =>
  secretShapes.some(([, pattern]) => text.slice(0, maxSearched).search(pattern) >= 0);
