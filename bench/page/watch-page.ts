import type { Page } from "@playwright/test";

/** What a page is watched for; times are ms since its navigation began. */
export interface Moments {
  /** The composer is there and React listens to it. */
  usable?: number;
  /** The answer of the model server stands on the page, as much of it as `rememberAnswer` has seen. */
  text?: number;
}

declare global {
  var moments: Moments;
}

/** Runs in the page before its own scripts, and looks at every frame until all is seen that is waited for. */
export function watchPage(wanted: readonly (keyof Moments)[]): void {
  globalThis.moments = {};
  const isUsable = () => {
    const field = document.querySelector("textarea");
    return field !== null && Object.keys(field).some((key) => key.startsWith("__reactProps"));
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
  const look = () => {
    const { moments } = globalThis;
    if (moments.usable === undefined && isUsable()) moments.usable = performance.now();
    if (wanted.includes("text") && moments.text === undefined && isThere()) moments.text = performance.now();
    if (wanted.some((name) => moments[name] === undefined)) requestAnimationFrame(look);
  };
  look();
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

/** Waits until the page has seen it. */
export async function moment(page: Page, name: keyof Moments): Promise<number> {
  const handle = await page.waitForFunction((asked) => globalThis.moments[asked], name);
  return (await handle.jsonValue()) ?? Number.NaN;
}
