import { expect, type Page } from "@playwright/test";

/** No text of the page leaves the window or lies over another text. What is cut off by its container counts as far as it is seen. */
export async function expectTextsApart(page: Page): Promise<void> {
  expect(await findTextFaults(page)).toEqual([]);
}

export const findTextFaults = (page: Page): Promise<string[]> => page.evaluate(findFaults);

/** Runs in the page. */
function findFaults(): string[] {
  // What is under a dialog is covered by it.
  const shown = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  const seen: { node: Node; text: string; box: DOMRect }[] = [];
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent?.trim().slice(0, 40) ?? "";
    if (text === "" || !parent?.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    if (parent.closest(".sr-only, [href='#main'], script, style, [data-tip]")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const visible = clip(box, parent);
      if (visible.width > 1 && visible.height > 1) seen.push({ node, text, box: visible });
    }
  }
  const outside = seen.filter(({ box }) => box.left < -1 || box.right > innerWidth + 1);
  const overprints = seen.flatMap((one, at) =>
    seen
      .slice(at + 1)
      .filter((other) => other.node !== one.node && overlap(one.box, other.box))
      .map((other) => `${one.text} × ${other.text}`),
  );
  return [...outside.map(({ text }) => `${text} leaves the window`), ...overprints];

  function clip(box: DOMRect, element: Element): DOMRect {
    let { left, right, top, bottom } = box;
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const edge = at.getBoundingClientRect();
      left = Math.max(left, edge.left);
      right = Math.min(right, edge.right);
      top = Math.max(top, edge.top);
      bottom = Math.min(bottom, edge.bottom);
    }
    return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
  }

  /** Lines of text stand closer than their boxes are high: only what covers a third of the lower one counts. */
  function overlap(one: DOMRect, other: DOMRect): boolean {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return width > 2 && height > Math.min(one.height, other.height) / 3;
  }
}
