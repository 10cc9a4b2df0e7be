import type { Page } from "@playwright/test";

/**
 * What a page is watched for. `usable`: the composer is there and React listens to it; `steps`: the same of the steps of a
 * run; `text`: the answer of the model server stands on the page, as much of it as `rememberAnswer` has seen; `last`: the last
 * of the messages of `visits.ts`; `servers`: those of `settings.ts`, and React listens to their search.
 */
export type Moment = "usable" | "steps" | "text" | "last" | "servers";

/** Runs in the page before its own scripts, looks at every frame until all is seen that is wanted, and tells the console. */
export function watchPage(wanted: readonly Moment[]): void {
  const listens = (selector: string) => {
    const element = document.querySelector(selector);
    return element !== null && Object.keys(element).some((key) => key.startsWith("__reactProps"));
  };
  // Not in the whole body: its scripts hold the text before anybody can read it.
  const tokens = () =>
    [...document.querySelectorAll("[data-growing]")].flatMap(
      (answer) => answer.textContent.match(/@\d{6,}/g) ?? [],
    ).length;
  const isThere = () => {
    const count = tokens();
    return count > 0 && count >= Number(sessionStorage.getItem("tokens"));
  };
  const isSeen = {
    usable: () => listens("textarea"),
    steps: () => listens("[data-step]"),
    text: isThere,
    last: () => document.querySelector("main")?.textContent.includes("Message 999") ?? false,
    servers: () =>
      listens("input[type=search]") && document.querySelectorAll("li[id^=server-]").length === 30,
  };
  const look = (missing: readonly Moment[]) => {
    const still = missing.filter((name) => {
      if (!isSeen[name]()) return true;
      console.debug(`seen ${name} ${performance.now()}`);
      return false;
    });
    if (still.length > 0) requestAnimationFrame(() => look(still));
  };
  look(wanted);
}

/** Loads a page that is watched, until that was seen; in ms since the navigation began. */
export async function loadUntil(page: Page, name: Moment, load: () => Promise<unknown>): Promise<number> {
  const seen = whenSeen(page, name);
  await load();
  return seen;
}

/** When the page tells that it has seen that, in ms since the navigation began. */
export async function whenSeen(page: Page, name: Moment): Promise<number> {
  // To ask the page instead, Playwright compiles a script of its own in it, of 300 KB, while React hydrates.
  const told = await page.waitForEvent("console", (message) => message.text().startsWith(`seen ${name} `));
  return Number(told.text().split(" ").at(-1));
}

/** Notes how many tokens stand on the page, which a reload has to bring back; returns them. */
export function rememberAnswer(page: Page): Promise<number> {
  return page.evaluate(() => {
    const tokens = [...document.querySelectorAll("[data-growing]")].flatMap(
      (answer) => answer.textContent.match(/@\d{6,}/g) ?? [],
    ).length;
    sessionStorage.setItem("tokens", String(tokens));
    return tokens;
  });
}
