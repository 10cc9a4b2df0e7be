import type { Locator, Page } from "@playwright/test";

const wheelSteps = 120;
const wheelPx = 240;
const wheelGapMs = 30;
/** A frame of 60 a second, and a fifth of one. */
const lateFrameMs = 20;

declare global {
  var frameTimes: number[];
  /** ms; undefined until it is known. */
  var shownAfter: number | undefined;
  var pressTook: number;
}

/** The share of late frames of the list of conversations. */
export const scrollList = (page: Page): Promise<number> =>
  countLateFrames(page, page.locator("nav a[data-row]").nth(5));

/** The share of late frames while the wheel turns over something, as fast as a hand turns it. */
export async function countLateFrames(page: Page, over: Locator): Promise<number> {
  await over.hover();
  await watchFrames(page);
  for (let step = 0; step < wheelSteps; step++) {
    await page.mouse.wheel(0, step < wheelSteps / 2 ? wheelPx : -wheelPx);
    await page.waitForTimeout(wheelGapMs);
  }
  return (await framesSince(page)).late;
}

/** Begins to note when frames come. */
export const watchFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.frameTimes = [];
    const note = (now: number) => {
      globalThis.frameTimes.push(now);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });

/** Those that have come, and which share of them was late. */
export const framesSince = (page: Page): Promise<{ count: number; late: number }> =>
  page.evaluate((lateMs) => {
    const times = globalThis.frameTimes;
    const late = times.filter((time, at) => at > 0 && time - (times[at - 1] ?? 0) > lateMs);
    return { count: times.length, late: late.length / (times.length - 1) };
  }, lateFrameMs);

/** From the click that `act` makes until the frame after the one in which `selector` fits something, and until the next frame. */
export async function untilShown(
  page: Page,
  act: () => Promise<unknown>,
  selector: string,
): Promise<{ shownMs: number; pressMs: number }> {
  await page.evaluate((wanted) => {
    globalThis.shownAfter = undefined;
    globalThis.pressTook = 0;
    const watch = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        globalThis.pressTook = Math.max(duration, globalThis.pressTook);
    });
    watch.observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    const begin = ({ timeStamp }: Event) => {
      const look = () => {
        if (document.querySelector(wanted) === null) return void requestAnimationFrame(look);
        // In a task after the next frame it has been painted.
        requestAnimationFrame(() =>
          setTimeout(() => (globalThis.shownAfter = performance.now() - timeStamp)),
        );
      };
      look();
    };
    addEventListener("click", begin, { capture: true, once: true });
  }, selector);
  await act();
  const after = await page.waitForFunction(() => globalThis.shownAfter);
  return {
    shownMs: Number(await after.jsonValue()),
    pressMs: await page.evaluate(() => globalThis.pressTook),
  };
}
