/**
 * How many elements a drawing has for who draws it: one that is referred to (`use`, patterns, masks, filters) counts
 * each time, so that ten times ten of ten of them are seen before they are drawn. Infinite for what cannot be read.
 */
export function drawingWeight(svg: string): number {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const byId = new Map([...root.querySelectorAll("[id]")].map((element) => [element.id, element]));
  const known = new Map<Element, number>();
  const weigh = (element: Element, depth: number): number => {
    const before = known.get(element);
    if (before !== undefined) return before;
    if (depth > maxDepth) return Number.POSITIVE_INFINITY;
    // A circle is drawn by nobody.
    known.set(element, 0);
    let sum = 1;
    for (const child of element.children) sum += weigh(child, depth + 1);
    for (const { value } of element.attributes)
      for (const [, id = ""] of value.matchAll(/(?:^|url\(["']?)#([^"')\s]+)/g)) {
        const target = byId.get(id);
        if (target) sum += weigh(target, depth + 1);
      }
    known.set(element, sum);
    return sum;
  };
  return weigh(root, 0);
}

/** Of elements in one another, and of references. */
const maxDepth = 500;
