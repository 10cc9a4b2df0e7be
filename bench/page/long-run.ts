import type { Browser, Page } from "@playwright/test";
import { importRun, stepsInLoop } from "@/bench/support/run-file";
import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { countLateFrames } from "./acts";
import { withPage } from "./browser";
import { loadUntil } from "./watch-page";

export const runSteps = 1_000;
/** As many steps beside it. */
const fewSteps = 40;
const rounds = 5;
const restMs = 2_000;

export interface RunPageFigures {
  /** From the navigation until steps stand there, which hear keys. */
  usableMs: number;
  /** Until all of them do. */
  wholeMs: number;
  /** Share of the frames that came later than after 20 ms, while a wheel scrolls. */
  lateFrames: number;
}

/** The page of a run of 1,000 steps, and beside it one of 40 in the same browser. */
export async function measureRunPage(
  browser: Browser,
  app: App,
): Promise<{ long: RunPageFigures; short: RunPageFigures }> {
  const long = await fillRun(app, runSteps);
  const short = await fillRun(app, fewSteps);
  const taken: { long: RunPageFigures; short: RunPageFigures }[] = [];
  for (let round = 0; round < rounds; round++) {
    console.log(`  a run of ${runSteps.toLocaleString("en")} steps, ${round + 1} of ${rounds}`);
    taken.push({ short: await visit(browser, app, short), long: await visit(browser, app, long) });
  }
  const of = (which: "long" | "short"): RunPageFigures => ({
    usableMs: median(taken.map((each) => each[which].usableMs)),
    wholeMs: median(taken.map((each) => each[which].wholeMs)),
    lateFrames: median(taken.map((each) => each[which].lateFrames)),
  });
  return { long: of("long"), short: of("short") };
}

interface ImportedRun {
  path: string;
  steps: number;
}

async function fillRun(app: App, steps: number): Promise<ImportedRun> {
  const loops = Math.round(steps / stepsInLoop);
  const { runId } = await importRun(app, { number: steps, loops, question: "Read the archive." });
  return { path: `/runs/${runId}`, steps: loops * stepsInLoop + 1 };
}

const visit = (browser: Browser, app: App, { path, steps }: ImportedRun): Promise<RunPageFigures> =>
  withPage(
    browser,
    app.url,
    async (page) => {
      const open = () => page.goto(app.baseUrl + path, { waitUntil: "commit" });
      // The scripts are there, and what a first visit does afterwards is done, as for who comes from a conversation.
      await loadUntil(page, "steps", open);
      await allShown(page, steps);
      await page.waitForLoadState("networkidle");
      await page.waitForTimeout(restMs);
      const usableMs = await loadUntil(page, "steps", open);
      const wholeMs = await allShown(page, steps);
      const lateFrames = await countLateFrames(page, page.locator("[data-step]").nth(5));
      return { usableMs, wholeMs, lateFrames };
    },
    ["steps"],
  );

/** When they were first seen, in ms since the navigation. */
async function allShown(page: Page, steps: number): Promise<number> {
  const at = await page.waitForFunction(
    (wanted) => document.querySelectorAll("[data-step]").length >= wanted && performance.now(),
    steps,
  );
  return Number(await at.jsonValue());
}
