import type { Page } from "@playwright/test";

/** What a page is watched for; times are ms since its navigation began. */
export interface Moments {
  /** The composer is there and React listens to it. */
  usable?: number;
  /** The answer of the model server stands on the page. */
  text?: number;
}

declare global {
  var moments: Moments;
}

/** Runs in the page before its own scripts, and looks at every frame. */
export function watchPage(): void {
  globalThis.moments = {};
  const isUsable = () => {
    const field = document.querySelector("textarea");
    return field !== null && Object.keys(field).some((key) => key.startsWith("__reactProps"));
  };
  const look = () => {
    if (isUsable()) globalThis.moments.usable ??= performance.now();
    if (/@\d{6,}/.test(document.body?.textContent ?? "")) globalThis.moments.text ??= performance.now();
    requestAnimationFrame(look);
  };
  look();
}

/** Waits until the page has seen it. */
export async function moment(page: Page, name: keyof Moments): Promise<number> {
  const handle = await page.waitForFunction((asked) => globalThis.moments[asked], name);
  return (await handle.jsonValue()) ?? Number.NaN;
}
