import { findSecrets } from "./find-secrets";

/** A place in a text to be shared that looks like a secret. */
export interface Finding {
  kind: string;
  /** Enough to recognise it, too little to use it. */
  excerpt: string;
}

const maxFindings = 50;

/** Finds what looks like a secret in any string of a JSON value, `known` secrets included. */
export function scanSecrets(value: unknown, known: readonly string[] = []): Finding[] {
  const findings: Finding[] = [];
  mapStrings(value, (text) => {
    for (const { kind, start } of findSecrets(text, known))
      if (findings.length < maxFindings) findings.push({ kind, excerpt: `${text.slice(start, start + 4)}…` });
    return text;
  });
  return findings;
}

/** The same value with everything that looks like a secret blacked out. */
export function redactSecrets<Value>(value: Value, known: readonly string[] = []): Value {
  return mapStrings(value, (text) => redact(text, known)) as Value;
}

/** A copy of a JSON value in which every string, keys included, has gone through `change`. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, change));
  if (value === null || typeof value !== "object") return value;
  // Entries are defined, not assigned: `__proto__` stays a plain key.
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [change(key), mapStrings(entry, change)]),
  );
}

function redact(text: string, known: readonly string[]): string {
  let out = "";
  let from = 0;
  for (const { kind, start, end } of findSecrets(text, known)) {
    out += `${text.slice(from, start)}[${kind} removed]`;
    from = end;
  }
  return out + text.slice(from);
}
