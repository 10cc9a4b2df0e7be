/** How many values a JSON value holds, itself included; undefined when it is nested deeper or holds more. */
export function countParts(value: unknown, maxDepth: number, maxParts: number): number | undefined {
  let parts = 0;
  const walk = (part: unknown, depth: number): boolean => {
    if (++parts > maxParts || depth > maxDepth) return false;
    if (typeof part !== "object" || part === null) return true;
    return Object.values(part).every((member) => walk(member, depth + 1));
  };
  return walk(value, 0) ? parts : undefined;
}
