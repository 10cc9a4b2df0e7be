import type { Browser, Page } from "@playwright/test";
import { median, quantile } from "@/bench/support/stats";
import { withPage } from "./browser";
import { pressKeys } from "./keys";
import { loadUntil } from "./watch-page";

const rounds = 3;
const tokens = 20_000;
const rate = 1_000;
const slowRate = 100;
const slowTokens = 1_000;
const longestMs = 120_000;

declare global {
  var watched: { frames: number; longTasks: number; start: number };
}

export interface StreamingFigures {
  framesASecond: number;
  /** Of the main thread of the page, s. */
  mainSeconds: number;
  seconds: number;
  /** Tasks of more than 50 ms. */
  longTasks: number;
  /** From the key to the frame that shows it, p95 in ms. */
  keys: Record<"bare" | "idle" | "streaming" | "after", number>;
}

type Round = StreamingFigures;

/** A long fast answer of Markdown on the page, and keys before, while and after; medians of three visits. */
export async function measureStreaming(
  browser: Browser,
  address: string,
  bareUrl: string,
): Promise<StreamingFigures> {
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    console.log(`  a long answer, ${round + 1} of ${rounds}`);
    taken.push(await measureOnce(browser, address, bareUrl));
  }
  const of = (pick: (round: Round) => number) => median(taken.map(pick));
  return {
    framesASecond: of((round) => round.framesASecond),
    mainSeconds: of((round) => round.mainSeconds),
    seconds: of((round) => round.seconds),
    longTasks: of((round) => round.longTasks),
    keys: {
      bare: of(({ keys }) => keys.bare),
      idle: of(({ keys }) => keys.idle),
      streaming: of(({ keys }) => keys.streaming),
      after: of(({ keys }) => keys.after),
    },
  };
}

const p95 = (values: readonly number[]) => quantile(values, 0.95);

async function measureOnce(browser: Browser, address: string, bareUrl: string): Promise<Round> {
  const bare = await withPage(browser, bareUrl, async (page) => {
    await loadUntil(page, "usable", () => page.goto(bareUrl));
    return pressKeys(page);
  });
  return withPage(browser, address, async (page) => {
    await loadUntil(page, "usable", () => page.goto(new URL("/", address).href));
    const idle = await pressKeys(page);
    await ask(page, `${slowTokens} tokens ${slowRate} a second in Markdown`);
    await page.locator("[data-growing=true]").waitFor();
    const streaming = await pressKeys(page);
    await page.locator("[data-growing=false]").waitFor({ timeout: longestMs });
    await loadUntil(page, "usable", () => page.goto(new URL("/", address).href));
    const answer = await watchAnswer(page);
    const after = await pressKeys(page);
    return {
      ...answer,
      keys: { bare: p95(bare), idle: p95(idle), streaming: p95(streaming), after: p95(after) },
    };
  });
}

async function watchAnswer(page: Page): Promise<Omit<Round, "keys">> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const mainThread = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  await page.evaluate(() => {
    globalThis.watched = { frames: 0, longTasks: 0, start: performance.now() };
    const count = () => {
      globalThis.watched.frames++;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    new PerformanceObserver((list) => {
      globalThis.watched.longTasks += list.getEntries().length;
    }).observe({ type: "longtask" });
  });
  const before = await mainThread();
  await ask(page, `${tokens} tokens ${rate} a second in Markdown`);
  await ended(page);
  const mainSeconds = (await mainThread()) - before;
  const { frames, longTasks, seconds } = await page.evaluate(() => ({
    ...globalThis.watched,
    seconds: (performance.now() - globalThis.watched.start) / 1_000,
  }));
  return { framesASecond: frames / seconds, mainSeconds, seconds, longTasks };
}

/** Asked seldom, since to ask is work of the page, too. */
const ended = (page: Page) =>
  page.waitForFunction(() => document.querySelector("[data-growing=false]"), undefined, {
    polling: 250,
    timeout: longestMs,
  });

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox").first().fill(question);
  await page.keyboard.press("Enter");
}
