import type { Page } from "@playwright/test";

const gapMs = 90;
export const keysPressed = 60;
/** The finest that the browser tells. */
export const finestMs = 16;

declare global {
  /** Of each key that took longer than the finest, by the time at which it went down. */
  var keyTimes: Map<number, number>;
}

/** Types into the field and returns how long each key took until the frame that shows it, ms; "event timing" of the browser. */
export async function pressKeys(page: Page): Promise<number[]> {
  await page.locator("textarea").first().focus();
  await page.evaluate((finest) => {
    globalThis.keyTimes = new Map();
    new PerformanceObserver((list) => {
      for (const { name, startTime, duration } of list.getEntries())
        if (name === "keydown" || name === "keypress")
          globalThis.keyTimes.set(startTime, Math.max(duration, globalThis.keyTimes.get(startTime) ?? 0));
    }).observe({ type: "event", durationThreshold: finest } as PerformanceObserverInit);
  }, finestMs);
  for (let count = 0; count < keysPressed; count++) {
    await page.keyboard.press("abcdefgh"[count % 8] ?? "a");
    await page.waitForTimeout(gapMs);
  }
  const slow = await page.evaluate(() => [...globalThis.keyTimes.values()]);
  const perKey = slow.toSorted((a, b) => b - a).slice(0, keysPressed);
  return [...perKey, ...Array<number>(keysPressed - perKey.length).fill(finestMs)];
}
