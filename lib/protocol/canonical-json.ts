/** JSON in which equal values have equal texts: names sorted, no spaces, `undefined` left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortNames(value)) ?? "null";
}

export function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortNames(member)]),
  );
}
