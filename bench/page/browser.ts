import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "@playwright/test";
import { type Moment, watchPage } from "./watch-page";

const systemChromium = "/usr/bin/chromium";

/** For about 3 s a new window loads 400 files of the browser's own (what its address field opens), in other processes on the same cores. */
const settleMs = 3_000;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(existsSync(systemChromium) && { executablePath: systemChromium }),
    args: [
      "--disable-background-networking",
      "--disable-component-update",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
}

/** A page with an empty cache, signed in by the printed `address`, and watched for the moments that are `wanted`. */
export const withPage = <Result>(
  browser: Browser,
  address: string,
  use: (page: Page) => Promise<Result>,
  wanted: readonly Moment[] = ["usable"],
): Promise<Result> =>
  withBarePage(browser, address, async (page) => {
    await page.addInitScript(watchPage, wanted);
    return use(page);
  });

/** The same, and nothing looks at it: where thousands of elements stand, to look at each frame costs more than the frame. */
export async function withBarePage<Result>(
  browser: Browser,
  address: string,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  try {
    // Only the cookie of the address, without what that visit would put into the cache.
    await context.request.get(address, { maxRedirects: 0 });
    const page = await context.newPage();
    await page.waitForTimeout(settleMs);
    return await use(page);
  } finally {
    await context.close();
  }
}
