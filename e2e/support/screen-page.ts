import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "@playwright/test";

const modules = join(import.meta.dirname, "..", "..", "node_modules");
const fonts = ["inter", "noto-sans-jp"].map((name) => `@fontsource-variable/${name}`);

/** At which time the page believes to be. What the server makes during a test is made then as well. */
export const screenTime = "2026-01-15T12:00:00.000Z";

/** Makes what is seen the same on every machine and day: its type, its clock, and the times that the server tells. */
export async function steady(context: BrowserContext): Promise<void> {
  await context.clock.setFixedTime(screenTime);
  await context.route("**/_fonts/**", (route) => {
    const path = decodeURIComponent(new URL(route.request().url()).pathname).replace("/_fonts/", "");
    return route.fulfill({ body: readFileSync(join(modules, path)), contentType: "font/woff2" });
  });
  await context.route("**/_next/static/**/*.css*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()}\n${ownType}` });
  });
  await context.route("**/api/**", async (route) => {
    const request = route.request();
    if (request.method() !== "GET" || request.headers().accept !== "application/json")
      return route.fallback();
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replace(anyTime, fixed).replace(ownFolder, "/home/ann"),
    });
  });
}

const anyTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** What is older comes from a fixture. */
const fixed = (time: string) => (time > screenTime ? screenTime : time);

/** Of the application, another one each time. */
const ownFolder = /[^" ]*meguri-e2e-\w+/g;

const ownType = [
  ...fonts.map((name) =>
    readFileSync(join(modules, name, "wght.css"), "utf8")
      .replaceAll("url(./files/", `url(/_fonts/${name}/files/`)
      .replaceAll("font-display: swap", "font-display: block"),
  ),
  `:root { --font-text: "Inter Variable", "Noto Sans JP Variable" !important; --font-voice: var(--font-text) !important; --font-mono: var(--font-text) !important; }`,
  "*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }",
].join("\n");

/** A shared conversation tells when it was made, to the minute and in the page itself: no two of them are equally wide. */
export async function steadyTimes(page: Page): Promise<void> {
  await page.evaluate((fixed) => {
    const format = new Intl.DateTimeFormat(document.documentElement.lang, {
      ...{ year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
      ...{ hourCycle: "h23", timeZoneName: "short", timeZone: "UTC" },
    });
    for (const time of document.querySelectorAll("time"))
      if (time.dateTime > fixed && time.textContent === format.format(new Date(time.dateTime)))
        time.textContent = format.format(new Date(fixed));
  }, screenTime);
}

/** A text, or the name or hint of a field or button. */
export const shownIn = (page: Page, words: string): Locator =>
  page
    .getByText(words)
    .or(page.getByLabel(words))
    .or(page.getByPlaceholder(words))
    .filter({ visible: true })
    .first();

/** Resolves when nothing is on its way and all type has come. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await document.fonts.ready;
  });
}
