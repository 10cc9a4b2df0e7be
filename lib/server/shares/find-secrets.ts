import { type SecretKind, secretShapes } from "@/lib/protocol/secret-shapes";

/** Where something is in a text, from `start` up to `end`. */
export interface TextRange<Kind extends string> {
  kind: Kind;
  start: number;
  end: number;
}

type SecretRange = TextRange<SecretKind>;

/**
 * What looks like a secret, in order and without overlaps. `known` values are found in upper or lower case, with spaces,
 * breaks or invisible characters in them; shapes across breaks that a line or a page brings; both in base64.
 */
export function findSecrets(text: string, known: readonly string[]): SecretRange[] {
  const words = known.map(fold).filter(({ length }) => length >= minKnown);
  const ranges = viewsOf(text).flatMap((view) => [
    ...shapesIn(view.text).map((range) => inOriginal(view, range)),
    ...encodedIn(view.text, words).map((range) => inOriginal(view, range)),
  ]);
  return mergeRanges([...ranges, ...knownIn(text, words)]);
}

/** A shorter value is found in any text. */
const minKnown = 8;

/** A text with something left out, and where each of its characters was. */
interface View {
  text: string;
  at(index: number): number;
}

const invisible = /(?:\p{Cf}|\p{Variation_Selector}|[\u034f\u115f\u1160\u3164\uffa0])+/gu;
const prefix = "sk-|gh[pousr]_|github_pat_|AKIA|ASIA|AIza|xox[abprs]-|eyJ";
/** Between two pieces that may be one token. Prose seldom has digits in its words; a prefix begins another token. */
const gap = new RegExp(
  [
    `(?<=(?:\\d|\\b(?:${prefix}))[\\w+/=.-]*)\\s{1,16}(?!${prefix})`,
    "(?=[A-Za-z_+/=.-]*\\d)(?=[\\d_+/=.-]*[A-Za-z])",
  ].join(""),
  "g",
);
const space = /\s+/g;

function viewsOf(text: string): View[] {
  const views: View[] = [{ text, at: (index) => index }];
  for (const pattern of [invisible, gap]) {
    const last = views.at(-1) as View;
    if (last.text.search(pattern) >= 0) views.push(without(last, pattern));
  }
  return views;
}

function without(view: View, pattern: RegExp): View {
  const text = view.text.replace(pattern, "");
  const places = new Uint32Array(text.length);
  let length = 0;
  let from = 0;
  const keep = (to: number) => {
    while (from < to) places[length++] = view.at(from++);
  };
  for (const found of view.text.matchAll(pattern)) {
    keep(found.index);
    from += found[0].length;
  }
  keep(view.text.length);
  return { text, at: (index) => places[index] as number };
}

const inOriginal = ({ at }: View, { kind, start, end }: SecretRange): SecretRange => ({
  kind,
  start: at(start),
  end: at(end - 1) + 1,
});

function shapesIn(text: string): SecretRange[] {
  return secretShapes.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ 0: secret, index }) => ({
      kind,
      start: index,
      end: index + secret.length,
    })),
  );
}

/** In plain case and without spaces and invisible characters. */
const fold = (text: string): string => plainCase(text.replace(invisible, "").replace(space, ""));

/** Of the same length for each letter, so that places stay. */
export const plainCase = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function knownIn(text: string, words: readonly string[]): SecretRange[] {
  if (words.length === 0) return [];
  const folded = fold(text);
  if (!words.some((word) => folded.includes(word))) return [];
  const view = without(without({ text, at: (index) => index }, invisible), space);
  return words.flatMap((word) => {
    const ranges: SecretRange[] = [];
    for (let start = folded.indexOf(word); start >= 0; start = folded.indexOf(word, start + word.length))
      ranges.push(inOriginal(view, { kind: "stored secret", start, end: start + word.length }));
    return ranges;
  });
}

const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;

/** What is a secret once it is decoded, wherever its four characters begin, is one as a whole. */
function encodedIn(text: string, words: readonly string[]): SecretRange[] {
  return [...text.matchAll(base64)].flatMap(({ 0: token, index }) => {
    for (let offset = 0; offset < 4; offset++) {
      const decoded = Buffer.from(token.slice(offset), "base64").toString("latin1");
      const kind = shapesIn(decoded)[0]?.kind ?? knownIn(decoded, words)[0]?.kind;
      if (kind) return [{ kind, start: index, end: index + token.length }];
    }
    return [];
  });
}

/** In order; what overlaps becomes one, of the kind that begins first. */
export function mergeRanges<Kind extends string>(ranges: TextRange<Kind>[]): TextRange<Kind>[] {
  const merged: TextRange<Kind>[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}
