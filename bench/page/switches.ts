import type { Browser, Page } from "@playwright/test";
import type { App } from "@/e2e/support/app";
import { withBarePage } from "./browser";
import { type Held, heldBy } from "./heap";

export const switches = 50;
/** So many conversations are kept as they were; only after them does a new one take the place of an old one. */
const firstSwitches = 12;
const questions = 24;

export interface SwitchFigures {
  first: Held;
  last: Held;
}

/** Goes from conversation to conversation by their rows, and back and forth. */
export function measureSwitches(browser: Browser, app: App): Promise<SwitchFigures> {
  return withBarePage(browser, app.url, async (page) => {
    await page.goto(`${app.baseUrl}/`);
    await page.locator("nav a[data-row]").nth(questions).waitFor();
    let at = 0;
    const go = async (count: number) => {
      for (const end = at + count; at < end; at++) await open(page, at % questions);
      return settled(page);
    };
    const first = await go(firstSwitches);
    return { first, last: await go(switches) };
  });
}

async function open(page: Page, row: number): Promise<void> {
  const link = page.locator("nav a[data-row]").nth(row);
  const [, number] = /Question (\d+) /.exec((await link.textContent()) ?? "") ?? [];
  await link.click();
  await page.waitForFunction(
    (text) => document.querySelector("main")?.textContent.includes(text),
    `Answer ${number}:`,
  );
}

/** Readers that were left close after a second. */
const quietMs = 2_500;

async function settled(page: Page): Promise<Held> {
  await page.waitForTimeout(quietMs);
  return heldBy(page);
}
