/** The names that are most like a wrong one, the best first. Costs one pass over all letters of all names. */
export function nearestNames(wrong: string, names: readonly string[], most: number): string[] {
  const wanted = pairsOf(wrong.slice(0, maxLength));
  return names
    .map((name) => ({ name, likeness: likeness(pairsOf(name), wanted) }))
    .sort((one, other) => other.likeness - one.likeness)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Of a name that a model has made up. */
const maxLength = 200;

/** Two letters in a row each. Neither case nor the signs between words matter. */
function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase().replace(/[\s._/:-]+/g, "");
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < letters.length; at++) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

/** Sørensen-Dice: 1 for the same pairs, 0 for none in common. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of one) if (other.has(pair)) common++;
  return one.size + other.size === 0 ? 0 : (2 * common) / (one.size + other.size);
}
