/** The shapes of secrets that leak most, each with its name; a hit is a question to a person, not a verdict. */
export const secretShapes: readonly [kind: string, pattern: RegExp][] = [
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ["API key", /\bsk-[A-Za-z0-9_-]{16,}\b/g],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})\b/g],
  ["AWS key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ["Google key", /\bAIza[A-Za-z0-9_-]{30,}/g],
  ["Slack token", /\bxox[abprs]-[A-Za-z0-9-]{10,}/g],
  ["JSON Web Token", /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g],
  ["password in a URL", /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']*:[^\s/@"']+@/gi],
];

const maxSearched = 4_000;

/** Whether anything in the first 4,000 characters has the shape of a secret. */
export const hasSecretShape = (text: string): boolean =>
  secretShapes.some(([, pattern]) => text.slice(0, maxSearched).search(pattern) >= 0);
