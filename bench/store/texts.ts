/** Numbers from 0 up to 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = ["ka", "re", "th", "on", "mi", "st", "er", "in", "lo", "sa", "the", "qu", "or", "ne", "wi"];
const particles = ["の", "は", "を", "に", "が", "と", "で", "です", "ます", "した", "から", "。", "、"];
const words = 20_000;
const signs = 2_500;
const firstSign = 0x4e00;

/** The word of a rank: few are used often and most are rare, as in a language. */
const wordOf = (rank: number): string => {
  let [left, word] = [rank + 7, ""];
  for (; left > 0; left = Math.floor(left / syllables.length)) word += syllables[left % syllables.length];
  return word;
};
const rankOf = (random: () => number, count: number): number => Math.floor(count ** random()) - 1;

/** About 600 characters; every other one is Japanese. */
export function textOf(random: () => number, index: number): string {
  const parts: string[] = [];
  if (index % 2 === 0) for (let n = 0; n < 100; n++) parts.push(wordOf(rankOf(random, words)), " ");
  else
    for (let n = 0; n < 150; n++) {
      const pair = [0, 0].map(() => String.fromCharCode(firstSign + rankOf(random, signs) * 3));
      parts.push(...pair, particles[rankOf(random, particles.length)] ?? "");
    }
  return parts.join("");
}

/** What people look for, by what it costs: how many messages have it, and what must be joined. */
export const queries: Record<string, string> = {
  "a word that most messages have": wordOf(0),
  "two letters that begin many words": "th",
  "a rare word": wordOf(9_000),
  "four words that are often together": [0, 1, 2, 3].map(wordOf).join(" "),
  "two words, one of them rare": `${wordOf(1)} ${wordOf(7_000)}`,
  "one kana that most messages have": "の",
  "one kanji": String.fromCharCode(firstSign + 90 * 3),
  "two kanji": String.fromCharCode(firstSign + 9 * 3, firstSign + 20 * 3),
  "a Japanese phrase": `${String.fromCharCode(firstSign + 3)}の${String.fromCharCode(firstSign)}`,
  "what no message has": "zzzzz",
};
