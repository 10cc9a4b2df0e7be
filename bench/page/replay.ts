import type { Browser } from "@playwright/test";
import { importRun } from "@/bench/support/run-file";
import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { framesSince, watchFrames } from "./acts";
import { withBarePage } from "./browser";

export const replayedTokens = 20_000;
/** 50 tokens a second. */
const tokenMs = 20;
const rounds = 3;
const longestMs = 120_000;
/** Of Markdown, as models write it: paragraphs, a list and code. */
const paragraph =
  "The **harbour** was measured at noon, before the ships came in, and again at night:\n\n- at noon, `3.1` m\n- at night, `2.8` m\n\n```ts\nconst level = noon - night; // of Monday\n```\n\n";

export interface ReplayFigures {
  framesASecond: number;
  /** Share of the frames that came later than after 20 ms. */
  lateFrames: number;
  seconds: number;
}

/** The replay of an answer of 20,000 tokens behind a link, at 20 times its speed. */
export async function measureReplay(browser: Browser, app: App): Promise<ReplayFigures> {
  const url = await shareReplay(app);
  const taken: ReplayFigures[] = [];
  for (let round = 0; round < rounds; round++) {
    console.log(`  a replay of ${replayedTokens.toLocaleString("en")} tokens, ${round + 1} of ${rounds}`);
    taken.push(await play(browser, app, url));
  }
  const of = (key: keyof ReplayFigures) => median(taken.map((figures) => figures[key]));
  return { framesASecond: of("framesASecond"), lateFrames: of("lateFrames"), seconds: of("seconds") };
}

async function shareReplay(app: App): Promise<string> {
  const words = paragraph.split(/(?<=\s)/);
  const pieces = Array.from({ length: replayedTokens }, (_, at) => words[at % words.length] ?? "");
  const run = { number: 7, loops: 1, question: "What does the harbour say?", pieces, pieceMs: tokenMs };
  const { conversationId } = await importRun(app, run);
  const response = await app.fetch(`/api/conversations/${conversationId}/shares`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ replay: true, accept: true }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { url: string }).url;
}

const play = (browser: Browser, app: App, url: string): Promise<ReplayFigures> =>
  withBarePage(browser, app.url, async (page) => {
    await page.goto(`${url}?play`);
    await page.getByRole("radio", { name: "20×", exact: true }).check({ force: true });
    await watchFrames(page);
    const start = await page.evaluate(() => performance.now());
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const end = await page.waitForFunction(
      () => {
        const slider = document.querySelector("[role=slider]");
        return slider?.ariaValueNow === slider?.ariaValueMax && performance.now();
      },
      undefined,
      // Asked seldom, since to ask is work of the page, too.
      { polling: 250, timeout: longestMs },
    );
    const seconds = (Number(await end.jsonValue()) - start) / 1_000;
    const { count, late } = await framesSince(page);
    return { framesASecond: count / seconds, lateFrames: late, seconds };
  });
