import { normalize } from "./grams";

/** What belongs to the character before it: marks, marks of half-width kana, jamo, what joins or changes pictures. */
const follows = "\\p{M}\\uff9e\\uff9f\\u1160-\\u11ff\\u200d\\u{1f3fb}-\\u{1f3ff}";
/** Characters that normalizing leaves one: Latin ones without marks, most of Japanese and Chinese. */
const plain = "[\\x00-\\x7f、。「」・ーぁ-ゖァ-ヺ一-鿿]";
const piece = new RegExp(
  `${plain}+(?![${follows}])|\\p{RI}\\p{RI}|[^](?:[${follows}]|(?<=\\u200d)\\p{ExtPict})*`,
  "gu",
);

/** Where what is normalized stands in the text that it came from, by whole characters as people see them. */
export interface Aligned {
  normalized: string;
  /** Where the character at this place of `normalized` begins. */
  begin(at: number): number;
  /** Where the one before this place ends. */
  end(at: number): number;
  /** The place of the text at this one or before it that is within no character. */
  floor(place: number): number;
}

export function align(text: string): Aligned {
  const pieces: { at: number; from: number; to: number; isPlain: boolean }[] = [];
  let normalized = "";
  for (const match of text.matchAll(piece)) {
    const [part] = match;
    const next = normalize(part);
    const isPlain = next.length === part.length && plainOnly.test(part);
    pieces.push({ at: normalized.length, from: match.index, to: match.index + part.length, isPlain });
    normalized += next;
  }
  const find = (key: "at" | "from", place: number) => {
    let [low, high] = [0, pieces.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((pieces[middle]?.[key] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return pieces[low];
  };
  const begin = (at: number) => {
    const found = find("at", at);
    return found ? found.from + (found.isPlain ? at - found.at : 0) : 0;
  };
  return {
    normalized,
    begin,
    end(at) {
      const found = find("at", at - 1);
      return found ? (found.isPlain ? begin(at - 1) + 1 : found.to) : 0;
    },
    floor(place) {
      if (place >= text.length) return text.length;
      const found = find("from", place);
      return found ? (found.isPlain ? place : found.from) : 0;
    },
  };
}

const plainOnly = new RegExp(`^${plain}+$`, "u");
