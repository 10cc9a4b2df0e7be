import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

/** All rules of axe, or those that say something else in the dark. */
type Rules = "all" | "colours";

/** Fails with each violation and what it is about. What the apps of servers draw in their frames is theirs. */
export async function expectAccessible(page: Page, rules?: Rules): Promise<void> {
  expect(await findViolations(page, rules)).toEqual([]);
}

/** What axe has against the page as it is now. */
export async function findViolations(
  page: Page,
  rules: Rules = "all",
): Promise<{ id: string; nodes: unknown[] }[]> {
  await faded(page);
  const { violations } = await inspect(page, rules);
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  }));
}

/** What fades in has less contrast until it is there. Not waited for: a ring or a caret that moves for ever, and what moves with scrolling. */
const faded = (page: Page) =>
  page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState, timeline }) =>
          playState !== "running" ||
          timeline !== document.timeline ||
          effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  );

/**
 * axe throws where an element leaves the page while it is described, as the lines of an editor do. "Legacy" is a run in
 * one frame; without it, and with everything that passed, axe opens a page to join frames and takes three times as long.
 */
async function inspect(page: Page, rules: Rules, attempts = 3): ReturnType<AxeBuilder["analyze"]> {
  try {
    const axe = new AxeBuilder({ page })
      .options({ resultTypes: ["violations"] })
      .setLegacyMode()
      .exclude("iframe");
    return await (rules === "all" ? axe : axe.withRules(["color-contrast", "link-in-text-block"])).analyze();
  } catch (error) {
    if (attempts === 1) throw error;
    return inspect(page, rules, attempts - 1);
  }
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const widths = await page.evaluate(
    () => [document.scrollingElement?.scrollWidth ?? 0, innerWidth] as const,
  );
  expect(widths[0]).toBeLessThanOrEqual(widths[1]);
}

/** The page, and each part of it, that is wider than its place and can be scrolled sideways; code, tables and tabs may be. */
export const findSidewaysScroll = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { clientWidth, scrollWidth } = element;
        if (clientWidth === 0 || scrollWidth <= clientWidth + 1) return false;
        if (element === document.scrollingElement) return true;
        return (
          /auto|scroll/.test(getComputedStyle(element).overflowX) &&
          !element.matches(".more-beside, [role=tablist]")
        );
      })
      .map((element) => `${element.tagName}.${element.className}: ${element.scrollWidth}`),
  );

/** Goes on with Tab until something has the focus, and fails where the focus cannot be seen on the way. */
export async function tabTo(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const page = target.page();
  for (let step = 0; step < 60; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
    expect(await focusMark(page)).not.toBe("");
  }
  throw new Error(`${target} cannot be reached with ${key}.`);
}

/** How the focused element, or what stands around it, shows that it is focused; empty when nothing does. */
function focusMark(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return "page";
    for (let at: Element | null = focused; at && at !== document.body; at = at.parentElement) {
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      if (outlineStyle !== "none" && outlineWidth !== "0px") return "outline";
      const next = at.nextElementSibling;
      if (next && getComputedStyle(next).outlineStyle !== "none") return "outline of its neighbour";
      if (at.matches("[data-box]")) return "border";
    }
    return "";
  });
}
