import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Locator, type Page } from "@playwright/test";
import type axe from "axe-core";
import type { NodeResult, RunOptions } from "axe-core";

/** Less than half of what `axe.source` has: a page reads it sooner. */
const axeSource = readFileSync(
  join(import.meta.dirname, "..", "..", "node_modules", "axe-core", "axe.min.js"),
  "utf8",
);

/** All rules of axe, or those that say something else in the dark. */
type Rules = "all" | "colours";

/** Fails with each violation and what it is about. What the apps of servers draw in their frames is theirs. */
export async function expectAccessible(page: Page, rules?: Rules): Promise<void> {
  expect(await findViolations(page, rules)).toEqual([]);
}

interface Violation {
  id: string;
  nodes: [html: string, summary: NodeResult["failureSummary"]][];
}

/** What axe has against the page as it is now. A colour that was in the middle of a change is another one when it looks again. */
export async function findViolations(page: Page, rules: Rules = "all"): Promise<Violation[]> {
  await faded(page);
  const found = await inspect(page, rules);
  const others = found.filter(({ id }) => !colourRules.includes(id));
  if (others.length === found.length) return found;
  await faded(page);
  return [...others, ...(await inspect(page, "colours"))];
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

const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * axe throws where an element leaves the page while it is described, as the lines of an editor do. It is brought along once for
 * a page: to read it takes as long as to look.
 */
async function inspect(page: Page, rules: Rules, attempts = 3): Promise<Violation[]> {
  try {
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
    const options: RunOptions = {
      resultTypes: ["violations"],
      // It would fetch all styles as well, for a rule about turned screens that is off.
      preload: { assets: ["media"] },
      ...(rules === "colours" && { runOnly: { type: "rule", values: colourRules } }),
    };
    return await page.evaluate(lookThrough, options);
  } catch (error) {
    if (attempts === 1) throw error;
    return inspect(page, rules, attempts - 1);
  }
}

/** Runs in the page. */
async function lookThrough(options: RunOptions): Promise<Violation[]> {
  const { axe: here } = globalThis as unknown as { axe: typeof axe };
  const { violations } = await here.run({ exclude: ["iframe"] }, options);
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  }));
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
