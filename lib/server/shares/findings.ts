import { redactedMark } from "@/lib/protocol/redacted-text";
import type { FindingPlace, RedactedKind, ShareFinding } from "@/lib/protocol/share-policy";
import { hash } from "@/lib/server/secrets";
import { findPrivate } from "./find-private";
import { plainCase } from "./find-secrets";
import { privateShapes } from "./private-shapes";

/** What is to happen with what is found: with all of it, or with some by their ids. */
export interface FindingChoice {
  redact?: boolean | readonly string[] | undefined;
  accept?: boolean | readonly string[] | undefined;
}

export interface Findings {
  /** The first of each text; those that nobody has decided on before the others, where there are too many. */
  list: ShareFinding[];
  /** How many nobody has decided on, those that are not listed included. */
  undecided: number;
  /** What is to be redacted, by the ids of the findings. */
  redacted: ReadonlyMap<string, { kind: RedactedKind; text: string }>;
}

const maxListed = 200;
const maxExcerpt = 80;

/** Finds what looks private in any string of a JSON value, `known` secrets included. Each text is found once. */
export function findIn(value: unknown, known: readonly string[] = [], choice: FindingChoice = {}): Findings {
  const found = new Map<string, ShareFinding & { kind: RedactedKind; text: string }>();
  const decide = decisions(choice);
  walk(value, { in: "other" }, (text, where) => {
    for (const { kind, start, end } of findPrivate(text, known)) {
      const own = text.slice(start, end);
      const id = idOf(kind, own);
      const before = found.get(id);
      if (before) before.count++;
      else {
        const told = { id, kind, excerpt: excerptOf(kind, own), where, count: 1 };
        found.set(id, { ...told, decision: decide(id), text: own });
      }
    }
  });
  const all = [...found.values()];
  const open = all.filter(({ decision }) => decision === null);
  const decided = all.filter(({ decision }) => decision !== null);
  return {
    list: mostUrgent(all).map(({ text: _, ...finding }) => finding),
    undecided: open.length,
    redacted: new Map(
      decided.flatMap(({ id, kind, text, decision }) =>
        decision === "redact" ? [[id, { kind, text }]] : [],
      ),
    ),
  };
}

/** All of them, or where there are too many, first those that nobody has decided on. */
export function mostUrgent<Each extends ShareFinding>(found: readonly Each[]): readonly Each[] {
  if (found.length <= maxListed) return found;
  const open = found.filter(({ decision }) => decision === null);
  return [...open, ...found.filter(({ decision }) => decision !== null)].slice(0, maxListed);
}

/** The same value without the texts that are to be redacted, wherever they stand, also where nothing makes them look private. */
export function redactFound<Value>(
  value: Value,
  redacted: Findings["redacted"],
  known: readonly string[] = [],
): Value {
  if (redacted.size === 0) return value;
  const texts = [...redacted.values()]
    .filter(({ text }) => text.length >= minSought)
    .slice(0, maxSought)
    .map(({ kind, text }) => ({ mark: redactedMark(kind, text), text: plainCase(text) }));
  return mapStrings(value, (text) => {
    let out = "";
    let from = 0;
    for (const { kind, start, end } of findPrivate(text, known)) {
      if (!redacted.has(idOf(kind, text.slice(start, end)))) continue;
      out += text.slice(from, start) + redactedMark(kind, text.slice(start, end));
      from = end;
    }
    return withoutTexts(out + text.slice(from), texts);
  }) as Value;
}

/**
 * A title is the beginning of a question, and may have been cut within a text that is redacted: what is left of it then does not
 * look private any more.
 */
export function redactCutEnd(title: string, redacted: Findings["redacted"]): string {
  if (!title.endsWith("…")) return title;
  const told = title.slice(0, -1);
  const plain = plainCase(told);
  let cut = { at: told.length, mark: "" };
  for (const { kind, text } of redacted.values()) {
    const sought = plainCase(text.slice(0, told.length));
    for (let length = sought.length; length >= minSought && told.length - length < cut.at; length--)
      if (plain.endsWith(sought.slice(0, length)))
        cut = { at: told.length - length, mark: redactedMark(kind, text) };
  }
  return `${told.slice(0, cut.at)}${cut.mark}…`;
}

/** As many texts are sought word for word; every one is where it looks private. */
const maxSought = 200;
/** A shorter one stands in any word. */
const minSought = 6;

function withoutTexts(text: string, sought: readonly { mark: string; text: string }[]): string {
  let told = text;
  let plain = plainCase(told);
  for (const each of sought) {
    if (!plain.includes(each.text)) continue;
    let out = "";
    let from = 0;
    for (let at = plain.indexOf(each.text); at >= 0; at = plain.indexOf(each.text, from)) {
      out += told.slice(from, at) + each.mark;
      from = at + each.text.length;
    }
    told = out + told.slice(from);
    plain = plainCase(told);
  }
  return told;
}

/** The same for the same text. */
export const idOf = (kind: string, text: string) => hash(`${kind}\n${text}`).slice(0, 16);

/** What is named by its id goes before all of them, and redacting before accepting. */
export function decisions({ redact, accept }: FindingChoice): (id: string) => ShareFinding["decision"] {
  const named = (ids: FindingChoice["redact"]) => new Set(Array.isArray(ids) ? ids : []);
  const [redacted, accepted] = [named(redact), named(accept)];
  const others = redact === true ? "redact" : accept === true ? "accept" : null;
  return (id) => (redacted.has(id) ? "redact" : accepted.has(id) ? "accept" : others);
}

/** Enough to recognise it, and of a secret too little to use it. */
function excerptOf(kind: ShareFinding["kind"], text: string): string {
  if (!toldWhole.includes(kind)) return `${text.slice(0, 4)}…`;
  return text.length > maxExcerpt ? `…${text.slice(1 - maxExcerpt)}` : text;
}

const toldWhole: readonly string[] = privateShapes.map(([kind]) => kind);

/** Each string of a value, keys included, with where in a copy it stands. */
function walk(
  value: unknown,
  where: FindingPlace,
  onText: (text: string, where: FindingPlace) => void,
  tools: Map<string, string> = new Map(),
): void {
  if (typeof value === "string") onText(value, where);
  else if (Array.isArray(value)) for (const each of value) walk(each, where, onText, tools);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const own = placeOf(value as Record<string, unknown>, where, tools);
  for (const [key, each] of Object.entries(value)) {
    onText(key, own);
    walk(each, key === "title" && where.in === "other" ? { in: "title" } : own, onText, tools);
  }
}

/** By what a message, a part of it or a result says of itself. */
function placeOf(
  value: Record<string, unknown>,
  where: FindingPlace,
  tools: Map<string, string>,
): FindingPlace {
  const { role, type, id, name } = value;
  if (where.in === "other")
    switch (role) {
      case "user":
        return { in: "question" };
      case "assistant":
        return { in: "answer" };
      case "tool":
        return { in: "result" };
      case "summary":
        return { in: "summary" };
    }
  if (where.in === "result" && where.tool === undefined && typeof id === "string" && tools.has(id))
    return { in: "result", tool: tools.get(id) ?? "" };
  if (type === "reasoning" && where.in === "answer") return { in: "reasoning" };
  if (type === "file" && where.in !== "arguments") return { in: "file" };
  if (type === "tool_call" && where.in === "answer" && typeof name === "string") {
    if (typeof id === "string") tools.set(id, name);
    return { in: "arguments", tool: name };
  }
  return where;
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
