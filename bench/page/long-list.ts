import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { startBenchApp } from "@/bench/support/app";
import { fillStore } from "@/bench/support/fill-store";
import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { scrollList, untilShown } from "./acts";
import { withBarePage } from "./browser";
import { heldBy } from "./heap";
import { measureSwitches, type SwitchFigures } from "./switches";

export const manyRows = 5_000;
const fewRows = 50;
const rounds = 3;

export interface ListFigures {
  /** From the navigation until the first rows are painted. */
  firstRowsMs: number;
  /** Share of the frames that came later than after 20 ms, while a wheel scrolls. */
  lateFrames: number;
  /** From an action until the frame that shows it in sight. */
  openMs: number;
  /** Of the same click, until the next frame: "event timing" of the browser, in steps of 8. */
  openPressMs: number;
  chooseMs: number;
  chooseAllMs: number;
  pinMs: number;
  /** What JavaScript holds after a collection, MB. */
  heapMb: number;
}

/** The list of conversations with all of its rows loaded: 5,000, and beside them 50 in the same browser; and switches among the 50. */
export async function measureLists(
  browser: Browser,
  modelUrl: string,
): Promise<{ many: ListFigures; few: ListFigures; held: SwitchFigures }> {
  const { few, held } = await withFilled(modelUrl, fewRows, async (app) => ({
    few: await measureList(browser, app, fewRows),
    held: await measureSwitches(browser, app),
  }));
  const many = await withFilled(modelUrl, manyRows, (app) => measureList(browser, app, manyRows));
  return { many, few, held };
}

async function withFilled<Result>(modelUrl: string, rows: number, use: (app: App) => Promise<Result>) {
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  const dataDir = join(folder, "data");
  // One more is there before them.
  await fillStore(dataDir, rows - 1);
  const app = await startBenchApp(modelUrl, { DATA_DIR: dataDir }, {});
  try {
    return await use(app);
  } finally {
    await app.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureList(browser: Browser, app: App, rows: number): Promise<ListFigures> {
  const taken: ListFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    console.log(`  a list of ${rows.toLocaleString("en")}, ${round + 1} of ${rounds}`);
    taken.push(await withBarePage(browser, app.url, (page) => visitList(page, app, rows)));
  }
  const of = (key: keyof ListFigures) => median(taken.map((figures) => figures[key]));
  return {
    ...{ firstRowsMs: of("firstRowsMs"), lateFrames: of("lateFrames"), heapMb: of("heapMb") },
    ...{ openMs: of("openMs"), openPressMs: of("openPressMs"), pinMs: of("pinMs") },
    ...{ chooseMs: of("chooseMs"), chooseAllMs: of("chooseAllMs") },
  };
}

async function visitList(page: Page, app: App, rows: number): Promise<ListFigures> {
  await page.goto(`${app.baseUrl}/`, { waitUntil: "commit" });
  const first = await page.waitForFunction(
    () => document.querySelector("nav a[data-row]") && performance.now(),
  );
  await loadAll(page, rows);
  const { heapMb } = await heldBy(page);
  const lateFrames = await scrollList(page);
  await page.evaluate(() => document.querySelector("nav")?.scrollTo(0, 0));
  const row = page.locator("nav a[data-row]");
  const rowIs = async (at: number, is: string) =>
    `a[data-row="${await row.nth(at).getAttribute("data-row")}"]${is}`;
  // The second: what draws a conversation has come with the first.
  await untilShown(page, () => row.nth(2).click(), await rowIs(2, '[aria-current="page"]'));
  await page.locator("main [data-growing=false]").first().waitFor();
  const { shownMs: openMs, pressMs: openPressMs } = await untilShown(
    page,
    () => row.nth(3).click(),
    await rowIs(3, '[aria-current="page"]'),
  );
  const { shownMs: chooseMs } = await untilShown(
    page,
    () => row.nth(4).click({ modifiers: ["ControlOrMeta"] }),
    await rowIs(4, '[aria-checked="true"]'),
  );
  const { shownMs: chooseAllMs } = await untilShown(
    page,
    () => page.getByRole("button", { name: "All", exact: true }).click(),
    await rowIs(8, '[aria-checked="true"]'),
  );
  const all = page.locator('nav a[data-row][aria-checked="true"]');
  while ((await all.count()) < rows) await page.waitForTimeout(50);
  await page.keyboard.press("Escape");
  await page.locator("nav a[aria-checked]").first().waitFor({ state: "detached" });
  const pinMs = await pinRow(page);
  const firstRowsMs = Number(await first.jsonValue());
  return { firstRowsMs, lateFrames, openMs, openPressMs, chooseMs, chooseAllMs, pinMs, heapMb };
}

/** As somebody who keeps scrolling down. */
async function loadAll(page: Page, rows: number): Promise<void> {
  await page.evaluate(async (wanted) => {
    const list = document.querySelector("nav a[data-row]")?.closest("nav");
    const end = performance.now() + 120_000;
    while (document.querySelectorAll("nav a[data-row]").length < wanted) {
      if (performance.now() > end) throw new Error(`Not all of ${wanted} rows came.`);
      list?.scrollTo(0, list.scrollHeight);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    list?.scrollTo(0, 0);
  }, rows);
}

/** Of a row far down, which goes to the top. */
async function pinRow(page: Page): Promise<number> {
  const row = page.locator("nav a[data-row]").nth(40);
  const id = await row.getAttribute("data-row");
  await row.hover();
  await row.locator("xpath=following-sibling::button").click();
  const pin = page.getByRole("menuitem", { name: "Pin", exact: true });
  await pin.waitFor();
  const pinned = `[aria-labelledby="side-pinned"] a[data-row="${id}"]`;
  return (await untilShown(page, () => pin.click(), pinned)).shownMs;
}
