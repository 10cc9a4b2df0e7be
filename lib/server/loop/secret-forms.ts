import { removed } from "@/lib/providers/shared/recorded-wire";

/** Shorter ones ("none", "meguri") are no secret, and would tear words apart. */
const shortestSecret = 8;
/** So many of its first characters may stand alone: they tell nothing of it. */
const untold = 4;

/** The ways in which secrets may be written: in a text, in JSON by whatever writer, or as part of an address. */
export interface SecretForms {
  /** Those that are written in one way alone, so that they are found in bytes. */
  plain: readonly string[];
  /** Whether there are some that `plain` does not find. */
  hasOthers: boolean;
  /** All of them, the longest first; undefined where there are none. */
  any: RegExp | undefined;
  /** The first characters of each. */
  beginnings: RegExp | undefined;
  /** Bytes of the longest one as it may be written, and of a character at least. */
  longest: number;
}

export function formsOf(secrets: readonly string[]): SecretForms {
  const long = [...new Set(secrets)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  const plain = long.filter(isPlain);
  return {
    plain,
    // One that has a plain one in it ("Bearer <key>") is found by that.
    hasOthers: long.some((secret) => !plain.some((part) => secret.includes(part))),
    any: waysToWrite(long),
    beginnings: waysToWrite(long.map((secret) => [...secret].slice(0, untold).join(""))),
    longest: Math.max(4, ...long.map(longestOf)),
  };
}

export const withoutSecrets = (text: string, { any }: SecretForms): string =>
  any ? text.replace(any, removed) : text;

/** The same bytes where there is none in them. */
export function bytesWithoutSecrets(bytes: Buffer, forms: SecretForms): Buffer {
  if (!forms.hasOthers && !forms.plain.some((secret) => bytes.includes(secret))) return bytes;
  const text = bytes.toString();
  const clean = withoutSecrets(text, forms);
  return clean === text ? bytes : Buffer.from(clean);
}

/** How many of these bytes stand before what may be the beginning of a secret, where they break off. */
export function endBeforeSecret(bytes: Buffer, { beginnings, longest }: SecretForms): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - longest)).toString();
  const at = beginnings ? tail.search(beginnings) : -1;
  return at < 0 ? bytes.length : Math.max(0, bytes.length - Buffer.byteLength(tail.slice(at)));
}

/** No writer of JSON or addresses changes any of its characters. */
const isPlain = (text: string): boolean => /^[\w-]+$/.test(text);

/**
 * In each way the first two characters say which alternative it is, so that a text is gone through once, whatever stands in
 * it.
 */
function waysToWrite(texts: readonly string[]): RegExp | undefined {
  const ways = texts.flatMap((text) =>
    isPlain(text) ? [text] : [asIs(text), inJson(text), inAddress(text)],
  );
  return ways.length > 0 ? new RegExp([...new Set(ways)].join("|"), "g") : undefined;
}

const digits = (code: number, count: number): string => code.toString(16).padStart(count, "0");
/** Of either case. */
const anyDigits = (code: number, count: number): string =>
  digits(code, count).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const asIs = (text: string): string =>
  text.replace(/[^\w-]/g, (unit) => `\\u${digits(unit.charCodeAt(0), 4)}`);

const oneOf = (ways: readonly string[]): string => `(?:${ways.join("|")})`;

const inJson = (text: string): string =>
  text.replace(/[^\w-]/g, (unit) => {
    const isHalf = /[\ud800-\udfff]/.test(unit);
    const written = isHalf ? unit : JSON.stringify(unit).slice(1, -1);
    return oneOf([
      `\\\\u${anyDigits(unit.charCodeAt(0), 4)}`,
      ...(written.length < 3 ? [asIs(written)] : []),
      ...(unit === "/" ? [asIs("\\/")] : []),
    ]);
  });

const inAddress = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\w-]/gu, (character) =>
      oneOf([
        [...Buffer.from(character)].map((byte) => `%${anyDigits(byte, 2)}`).join(""),
        ...(character === "%" ? [] : [asIs(character)]),
        ...(character === " " ? [asIs("+")] : []),
      ]),
    );

/** In JSON a character takes six bytes at most for each of its units, in an address three for each of its bytes. */
const longestOf = (secret: string): number =>
  [...secret].reduce(
    (sum, character) =>
      sum + (isPlain(character) ? 1 : Math.max(6 * character.length, 3 * Buffer.byteLength(character))),
    0,
  );
